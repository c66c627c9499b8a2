// A private endpoint, its DNS zone and the zone's link, for each target.
param location string
param tags object
param networkName string
@description('zone: the private DNS zone of that kind of target; group: its private link sub-resource.')
param targets { name: string, id: string, group: string, zone: string }[]

resource network 'Microsoft.Network/virtualNetworks@2024-05-01' existing = {
  name: networkName

  resource endpointSubnet 'subnets' existing = { name: 'endpoints' }
}

resource zones 'Microsoft.Network/privateDnsZones@2024-06-01' = [
  for target in targets: {
    name: target.zone
    location: 'global'
    tags: tags
  }
]

resource links 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = [
  for (target, index) in targets: {
    parent: zones[index]
    name: networkName
    location: 'global'
    properties: { virtualNetwork: { id: network.id }, registrationEnabled: false }
  }
]

resource endpoints 'Microsoft.Network/privateEndpoints@2024-05-01' = [
  for target in targets: {
    name: 'pe-${target.name}'
    location: location
    tags: tags
    properties: {
      subnet: { id: network::endpointSubnet.id }
      privateLinkServiceConnections: [
        {
          name: target.group
          properties: { privateLinkServiceId: target.id, groupIds: [target.group] }
        }
      ]
    }
  }
]

resource records 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-05-01' = [
  for (target, index) in targets: {
    parent: endpoints[index]
    name: 'default'
    properties: {
      privateDnsZoneConfigs: [
        { name: target.group, properties: { privateDnsZoneId: zones[index].id } }
      ]
    }
  }
]
