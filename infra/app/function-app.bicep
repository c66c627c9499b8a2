// The function app on Flex Consumption, run by the user-assigned identity: deployment, host storage, Service Bus,
// Cosmos DB, Key Vault and telemetry all by it. A test holds that the settings here are the settings that the app reads.
param name string
param location string
param tags object
param identityId string
param identityClientId string
param nodeVersion string
param instanceMemoryMB int
param maximumInstanceCount int
param alwaysReady { name: string, instanceCount: int }[]
@description('Empty: no virtual network.')
param subnetId string
param storageName string
param deploymentContainerUrl string
param serviceBusHostName string
param cosmosEndpoint string
param keyVaultName string
param applicationInsightsConnectionString string
param authClientId string
@description('The model decider shows a key of the vault; else the identity of the app.')
param modelUsesKey bool
param settings object

var isOnboarding = !empty(settings.crmUrl)
var isModelDecider = settings.decider == 'model'

// The platform resolves these by the identity; a secret that is missing shows as an unresolved reference, by name.
func secret(vaultName string, secretName string) string => '@Microsoft.KeyVault(VaultName=${vaultName};SecretName=${secretName})'

var platformSettings = {
  AzureWebJobsStorage__accountName: storageName
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identityClientId
  APPLICATIONINSIGHTS_CONNECTION_STRING: applicationInsightsConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
  // The credential chain of the Azure SDKs finds the identity by this name.
  AZURE_CLIENT_ID: identityClientId
  // Easy Auth proves itself to Entra ID by the identity, so that there is no client secret.
  OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID: identityClientId
}

var appSettings = {
  ServiceBus__fullyQualifiedNamespace: serviceBusHostName
  ServiceBus__credential: 'managedidentity'
  ServiceBus__clientId: identityClientId
  Cosmos__accountEndpoint: cosmosEndpoint
  Cosmos__credential: 'managedidentity'
  Cosmos__clientId: identityClientId
  COSMOS_DATABASE: 'countersign'
  CASE_ID_KEY: secret(keyVaultName, 'case-id-key')
  PAYLOAD_KEYS: secret(keyVaultName, 'payload-keys')
  WEBHOOK_SOURCES: secret(keyVaultName, 'webhook-sources')
  SUPPLIER_PORTAL_URL: settings.supplierPortalUrl
  SUPPLIER_PORTAL_TOKEN: secret(keyVaultName, 'supplier-portal-token')
  SUPPLIER_PORTAL_CALL_TIMEOUT_MS: '10000'
  EMAIL_URL: settings.emailUrl
  EMAIL_TOKEN: secret(keyVaultName, 'email-token')
  EMAIL_FROM: settings.emailFrom
  EMAIL_CALL_TIMEOUT_MS: '10000'
  SCHEDULES: empty(settings.schedules) ? '{}' : settings.schedules
  APPROVALS: empty(settings.approvals) ? '{}' : settings.approvals
  TURN_BUDGET_MS: '90000'
  DECIDER: settings.decider
  OTEL_METRIC_EXPORT_INTERVAL: '60000'
  TRACE_RATIO: empty(settings.traceRatio) ? '1' : settings.traceRatio
}

// A collector of the team's own, beside Application Insights; the host tells it about its functions, too.
var collectorSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint
}

// Read only with `DECIDER=model`. With an Azure OpenAI account the app shows its identity, else it needs a key.
var modelSettings = {
  MODEL_ENDPOINT: settings.modelEndpoint
  MODEL_NAME: settings.modelName
  MODEL_API_KEY: modelUsesKey ? secret(keyVaultName, 'model-api-key') : ''
  MODEL_CLIENT_ID: modelUsesKey ? '' : identityClientId
  MODEL_CALL_TIMEOUT_MS: '20000'
  MODEL_REPAIRS_MAX: '2'
}

// All of them or none: without them the app knows no customer-onboarding.
var onboardingSettings = {
  CRM_URL: settings.crmUrl
  CRM_TOKEN: secret(keyVaultName, 'crm-token')
  CRM_CALL_TIMEOUT_MS: '10000'
  TASK_BOARD_URL: settings.taskBoardUrl
  TASK_BOARD_TOKEN: secret(keyVaultName, 'task-board-token')
  TASK_BOARD_CALL_TIMEOUT_MS: '10000'
  TASK_BOARD_SEARCH_SETTLE_MS: '120000'
}

resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: 'plan-${name}'
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: { reserved: true }
}

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  // azd finds the app of its service `app` by this tag.
  tags: union(tags, { 'azd-service-name': 'app' })
  kind: 'functionapp,linux'
  identity: { type: 'UserAssigned', userAssignedIdentities: { '${identityId}': {} } }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: deploymentContainerUrl
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: { name: 'node', version: nodeVersion }
      scaleAndConcurrency: {
        alwaysReady: alwaysReady
        maximumInstanceCount: maximumInstanceCount
        instanceMemoryMB: instanceMemoryMB
      }
    }
    siteConfig: { minTlsVersion: '1.2', ftpsState: 'Disabled', http20Enabled: true }
  }

  // A deployment is by identity: the publishing passwords are off.
  resource ftp 'basicPublishingCredentialsPolicies' = {
    name: 'ftp'
    properties: { allow: false }
  }

  resource scm 'basicPublishingCredentialsPolicies' = {
    name: 'scm'
    properties: { allow: false }
  }

  resource values 'config' = {
    name: 'appsettings'
    properties: union(
      platformSettings,
      appSettings,
      empty(settings.otlpEndpoint) ? {} : collectorSettings,
      isModelDecider ? modelSettings : {},
      isOnboarding ? onboardingSettings : {}
    )
  }

  // Anonymous calls pass: webhooks prove themselves by signature, and every operators' route asks for a role in code.
  resource authentication 'config' = {
    name: 'authsettingsV2'
    properties: {
      platform: { enabled: !empty(authClientId), runtimeVersion: '~1' }
      globalValidation: {
        requireAuthentication: false
        unauthenticatedClientAction: 'AllowAnonymous'
      }
      identityProviders: {
        azureActiveDirectory: {
          enabled: !empty(authClientId)
          registration: {
            openIdIssuer: '${environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0'
            clientId: authClientId
            clientSecretSettingName: 'OVERRIDE_USE_MI_FIC_ASSERTION_CLIENTID'
          }
          validation: { allowedAudiences: [authClientId, 'api://${authClientId}'] }
        }
      }
      login: { tokenStore: { enabled: true } }
      httpSettings: { requireHttps: true }
    }
    dependsOn: [values]
  }
}

output name string = app.name
output url string = 'https://${app.properties.defaultHostName}'
