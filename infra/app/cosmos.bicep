// The account of record: one write region, Bounded Staleness (another worker's writes must be seen), no keys,
// continuous backup. Containers as infra/entities.json says; identities cannot create them, so all are made here.
param name string
param location string
param tags object
@allowed(['serverless', 'autoscale'])
param capacity string
param maxThroughput int
param appPrincipalId string
param isPrivate bool

var entities = loadJsonContent('../entities.json')
var dataContributor = '00000000-0000-0000-0000-000000000002'
var isServerless = capacity == 'serverless'

resource account 'Microsoft.DocumentDB/databaseAccounts@2025-04-15' = {
  name: name
  location: location
  tags: tags
  kind: 'GlobalDocumentDB'
  properties: {
    databaseAccountOfferType: 'Standard'
    locations: [{ locationName: location, failoverPriority: 0, isZoneRedundant: false }]
    enableMultipleWriteLocations: false
    enableAutomaticFailover: false
    consistencyPolicy: {
      defaultConsistencyLevel: 'BoundedStaleness'
      maxStalenessPrefix: 100000
      maxIntervalInSeconds: 300
    }
    capabilities: isServerless ? [{ name: 'EnableServerless' }] : []
    disableLocalAuth: true
    disableKeyBasedMetadataWriteAccess: true
    minimalTlsVersion: 'Tls12'
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
    backupPolicy: { type: 'Continuous', continuousModeProperties: { tier: 'Continuous30Days' } }
  }
}

resource database 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases@2025-04-15' = {
  parent: account
  name: entities.cosmos.database
  properties: { resource: { id: entities.cosmos.database } }
}

resource containers 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers@2025-04-15' = [
  for container in entities.cosmos.containers: {
    parent: database
    name: container.id
    properties: {
      // As the file says it: partition key, indexing and TTL have the same names there as here.
      resource: any(container)
      options: isServerless
        ? {}
        : { autoscaleSettings: { maxThroughput: container.id == 'cases' ? maxThroughput : 1000 } }
    }
  }
]

// Data plane only, and only at the account's scope: the app reads the account's own regions and consistency at its start.
resource readsAndWrites 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2025-04-15' = {
  parent: account
  name: guid(account.id, appPrincipalId, dataContributor)
  properties: {
    roleDefinitionId: '${account.id}/sqlRoleDefinitions/${dataContributor}'
    principalId: appPrincipalId
    scope: account.id
  }
}

output id string = account.id
output name string = account.name
output endpoint string = account.properties.documentEndpoint
