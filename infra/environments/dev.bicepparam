// Development: the smallest that works; the app sleeps when idle.
using '../main.bicep'

param environmentName = readEnvironmentVariable('AZURE_ENV_NAME', 'dev')
param location = readEnvironmentVariable('AZURE_LOCATION', 'westeurope')
param principalId = readEnvironmentVariable('AZURE_PRINCIPAL_ID', '')
param principalType = readEnvironmentVariable('AZURE_PRINCIPAL_TYPE', 'User')
param serviceBusSku = 'Standard'
param cosmosCapacity = 'serverless'
param privateNetworking = false
param maximumInstanceCount = 10
param alwaysReady = []
param authClientId = readEnvironmentVariable('COUNTERSIGN_AUTH_CLIENT_ID', '')
param alertEmail = readEnvironmentVariable('ALERT_EMAIL', '')
param runbookUrl = readEnvironmentVariable('RUNBOOK_URL', '')
param openAiAccountId = readEnvironmentVariable('OPEN_AI_ACCOUNT_ID', '')
param settings = {
  supplierPortalUrl: readEnvironmentVariable('SUPPLIER_PORTAL_URL', '')
  emailUrl: readEnvironmentVariable('EMAIL_URL', '')
  emailFrom: readEnvironmentVariable('EMAIL_FROM', '')
  crmUrl: readEnvironmentVariable('CRM_URL', '')
  taskBoardUrl: readEnvironmentVariable('TASK_BOARD_URL', '')
  decider: readEnvironmentVariable('DECIDER', 'rules')
  modelEndpoint: readEnvironmentVariable('MODEL_ENDPOINT', '')
  modelName: readEnvironmentVariable('MODEL_NAME', '')
  schedules: readEnvironmentVariable('SCHEDULES', '')
  otlpEndpoint: readEnvironmentVariable('OTLP_ENDPOINT', '')
  traceRatio: readEnvironmentVariable('TRACE_RATIO', '')
  approvals: readEnvironmentVariable('APPROVALS', '')
}
