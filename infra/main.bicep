// Countersign on Azure: one resource group with everything that the app needs, by identity alone (no key, no
// connection string, no slot). `azd up`, or:
//   az deployment sub create --location <region> --template-file infra/main.bicep --parameters infra/environments/dev.bicepparam
//
// Queues and containers come from infra/entities.json, alerts from infra/alerts.json: the local Azure and the tests
// read the same files. Secrets are never in a template: infra/scripts/prepare-secrets.mjs puts them into Key Vault.
targetScope = 'subscription'

@minLength(1)
@maxLength(40)
@description('Name of the environment, for example prod-weu. Part of the resource group, and of each name by its hash.')
param environmentName string

@minLength(1)
@metadata({ azd: { type: 'location' } })
@description('The one region. Writes must have a single region: the Cosmos DB SDK would repeat them otherwise.')
param location string

@description('Object id of who deploys; may write secrets into Key Vault. Empty: nobody but the app reads them.')
param principalId string = ''

@allowed(['User', 'Group', 'ServicePrincipal'])
param principalType string = 'User'

@allowed(['22', '24'])
@description('Version of Node.js that the app runs on.')
param nodeVersion string = '22'

@allowed([512, 2048, 4096])
param instanceMemoryMB int = 2048

@minValue(1)
@maxValue(1000)
param maximumInstanceCount int = 40

@description('Instances that never sleep. Without one, the first hint after a quiet time may wait for minutes.')
param alwaysReady { name: string, instanceCount: int }[] = [
  { name: 'function:process-case', instanceCount: 1 }
]

@allowed(['Standard', 'Premium'])
@description('Premium is taken in any case with private networking: Standard has no private endpoints.')
param serviceBusSku string = 'Standard'

@allowed(['serverless', 'autoscale'])
param cosmosCapacity string = 'serverless'

@minValue(1000)
@description('Autoscale only: the highest request units a second of the container `cases`.')
param cosmosMaxThroughput int = 4000

@description('Private endpoints for all data, and the app inside a virtual network.')
param privateNetworking bool = false

@description('Client id of the Entra ID application whose app roles operators hold (infra/scripts/register-app.mjs makes it). Empty: Easy Auth is off, and the app refuses every operator.')
param authClientId string = ''

@description('Where alerts go. Empty: they are only shown in the portal.')
param alertEmail string = ''

@description('Address of ops/RUNBOOK.md in your repository; each alert links to its entry.')
param runbookUrl string = ''

@description('Base addresses of the systems that the app acts on, and its other plain settings.')
param settings {
  supplierPortalUrl: string
  emailUrl: string
  emailFrom: string
  crmUrl: string
  taskBoardUrl: string
  decider: 'rules' | 'model'
  modelEndpoint: string
  modelName: string
  @description('Schedules as JSON, see the setting SCHEDULES; empty for none.')
  schedules: string
  @description('Base address of an OTLP/HTTP collector; empty: Application Insights only.')
  otlpEndpoint: string
  @description('Which share of traces is told, from 0 to 1; empty: all. Whatever went wrong always is.')
  traceRatio: string
  @description('By tenant, actions that a person must approve there, as JSON, see the setting APPROVALS; empty for none.')
  approvals: string
}

@description('Resource id of the Azure OpenAI account that the model decider calls by identity. Empty: none.')
param openAiAccountId string = ''

var tags = { 'azd-env-name': environmentName }
// A hash, never a cut name: two environments that begin alike must share neither storage nor host id.
var token = uniqueString(subscription().id, environmentName, location)
// A scope is evaluated even where its module's condition is false, so it must always name something.
var openAiParts = split(
  empty(openAiAccountId) ? '${subscription().id}/resourceGroups/none/providers/none/none/none' : openAiAccountId,
  '/'
)

resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: 'rg-countersign-${environmentName}'
  location: location
  tags: tags
}

module identity 'app/identity.bicep' = {
  name: 'identity'
  scope: group
  params: { name: 'id-${token}', location: location, tags: tags }
}

module network 'app/network.bicep' = if (privateNetworking) {
  name: 'network'
  scope: group
  params: { name: 'vnet-${token}', location: location, tags: tags }
}

module monitoring 'app/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: {
    token: token
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
  }
}

module storage 'app/storage.bicep' = {
  name: 'storage'
  scope: group
  params: {
    name: 'st${token}'
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    isPrivate: privateNetworking
  }
}

module serviceBus 'app/service-bus.bicep' = {
  name: 'service-bus'
  scope: group
  params: {
    name: 'sb-${token}'
    location: location
    tags: tags
    sku: privateNetworking ? 'Premium' : serviceBusSku
    appPrincipalId: identity.outputs.principalId
    isPrivate: privateNetworking
  }
}

module cosmos 'app/cosmos.bicep' = {
  name: 'cosmos'
  scope: group
  params: {
    name: 'cosmos-${token}'
    location: location
    tags: tags
    capacity: cosmosCapacity
    maxThroughput: cosmosMaxThroughput
    appPrincipalId: identity.outputs.principalId
    isPrivate: privateNetworking
  }
}

module keyVault 'app/key-vault.bicep' = {
  name: 'key-vault'
  scope: group
  params: {
    name: 'kv-${token}'
    location: location
    tags: tags
    appPrincipalId: identity.outputs.principalId
    deployerPrincipalId: principalId
    deployerPrincipalType: principalType
    isPrivate: privateNetworking
  }
}

module endpoints 'app/private-endpoints.bicep' = if (privateNetworking) {
  name: 'private-endpoints'
  scope: group
  params: {
    location: location
    tags: tags
    networkName: 'vnet-${token}'
    targets: [
      { name: storage.outputs.name, id: storage.outputs.id, group: 'blob', zone: 'privatelink.blob.${environment().suffixes.storage}' }
      { name: serviceBus.outputs.name, id: serviceBus.outputs.id, group: 'namespace', zone: 'privatelink.servicebus.windows.net' }
      { name: cosmos.outputs.name, id: cosmos.outputs.id, group: 'Sql', zone: 'privatelink.documents.azure.com' }
      { name: keyVault.outputs.name, id: keyVault.outputs.id, group: 'vault', zone: 'privatelink.vaultcore.azure.net' }
    ]
  }
  dependsOn: [network]
}

module openAi 'app/open-ai-access.bicep' = if (!empty(openAiAccountId)) {
  name: 'open-ai-access'
  scope: resourceGroup(openAiParts[2], openAiParts[4])
  params: {
    accountName: last(openAiParts)
    appPrincipalId: identity.outputs.principalId
  }
}

module app 'app/function-app.bicep' = {
  name: 'function-app'
  scope: group
  params: {
    name: 'func-${token}'
    location: location
    tags: tags
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    nodeVersion: nodeVersion
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    alwaysReady: alwaysReady
    subnetId: privateNetworking ? network!.outputs.appSubnetId : ''
    storageName: storage.outputs.name
    deploymentContainerUrl: storage.outputs.deploymentContainerUrl
    serviceBusHostName: serviceBus.outputs.hostName
    cosmosEndpoint: cosmos.outputs.endpoint
    keyVaultName: keyVault.outputs.name
    applicationInsightsConnectionString: monitoring.outputs.connectionString
    authClientId: authClientId
    modelUsesKey: empty(openAiAccountId)
    settings: settings
  }
}

module alerts 'app/alerts.bicep' = {
  name: 'alerts'
  scope: group
  params: {
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    serviceBusId: serviceBus.outputs.id
    alertEmail: alertEmail
    runbookUrl: runbookUrl
  }
}

module workbook 'app/workbook.bicep' = {
  name: 'workbook'
  scope: group
  params: { location: location, tags: tags, workspaceId: monitoring.outputs.workspaceId }
}

output AZURE_RESOURCE_GROUP string = group.name
output COUNTERSIGN_FUNCTION_APP string = app.outputs.name
output COUNTERSIGN_URL string = app.outputs.url
output COUNTERSIGN_AUTH_CLIENT_ID string = authClientId
output COUNTERSIGN_IDENTITY_PRINCIPAL_ID string = identity.outputs.principalId
output COUNTERSIGN_KEY_VAULT string = keyVault.outputs.name
