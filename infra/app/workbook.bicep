// The team's picture of a day, from infra/workbook.json: completion is never shown without what is unresolved beside it.
param location string
param tags object
param workspaceId string

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(resourceGroup().id, 'countersign')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Countersign'
    category: 'workbook'
    sourceId: workspaceId
    version: '1.0'
    serializedData: loadTextContent('../workbook.json')
  }
}
