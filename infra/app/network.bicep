// A virtual network with two subnets: one for the app's outbound traffic, one for the private endpoints.
param name string
param location string
param tags object

resource network 'Microsoft.Network/virtualNetworks@2024-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: ['10.20.0.0/16'] }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: '10.20.0.0/24'
          // Flex Consumption wants this delegation, and a subnet name without underscore.
          delegations: [
            { name: 'flex', properties: { serviceName: 'Microsoft.App/environments' } }
          ]
        }
      }
      {
        name: 'endpoints'
        properties: { addressPrefix: '10.20.1.0/24', privateEndpointNetworkPolicies: 'Disabled' }
      }
    ]
  }

  resource appSubnet 'subnets' existing = { name: 'app' }
}

output appSubnetId string = network::appSubnet.id
