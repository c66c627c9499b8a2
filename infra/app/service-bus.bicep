// The namespace and its queues, as infra/entities.json says. Sessions and duplicate detection are choices of
// creation: to change one, make a new queue.
param name string
param location string
param tags object
@allowed(['Standard', 'Premium'])
param sku string
param appPrincipalId string
param isPrivate bool

var entities = loadJsonContent('../entities.json')
// Data Owner, not Receiver and Sender: scaling by queue length, and waking from zero by identity, need Manage.
var serviceBusDataOwner = '090c5cfd-751d-490a-894a-3ce6f1109419'

resource namespace 'Microsoft.ServiceBus/namespaces@2024-01-01' = {
  name: name
  location: location
  tags: tags
  sku: sku == 'Premium' ? { name: sku, tier: sku, capacity: 1 } : { name: sku, tier: sku }
  properties: {
    disableLocalAuth: true
    minimumTlsVersion: '1.2'
    publicNetworkAccess: isPrivate ? 'Disabled' : 'Enabled'
  }
}

resource queues 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = [
  for queue in entities.serviceBus.queues: {
    parent: namespace
    name: queue.name
    properties: {
      requiresSession: queue.requiresSession
      requiresDuplicateDetection: queue.requiresDuplicateDetection
      duplicateDetectionHistoryTimeWindow: queue.duplicateDetectionHistoryTimeWindow
      lockDuration: queue.lockDuration
      maxDeliveryCount: queue.maxDeliveryCount
      deadLetteringOnMessageExpiration: queue.deadLetteringOnMessageExpiration
    }
  }
]

resource ownsMessages 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(namespace.id, appPrincipalId, serviceBusDataOwner)
  scope: namespace
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', serviceBusDataOwner)
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}

output id string = namespace.id
output name string = namespace.name
output hostName string = '${namespace.name}.servicebus.windows.net'
