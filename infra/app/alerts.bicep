// What wakes somebody, from infra/alerts.json. Each alert's description links to its entry in ops/RUNBOOK.md.
param location string
param tags object
param workspaceId string
param serviceBusId string
param alertEmail string
@description('Where operators read the runbook. Empty: its path in the repository.')
param runbookUrl string

var alerts = loadJsonContent('../alerts.json')
var runbook = empty(runbookUrl) ? alerts.runbook : runbookUrl
var entities = loadJsonContent('../entities.json')

resource people 'Microsoft.Insights/actionGroups@2023-01-01' = if (!empty(alertEmail)) {
  name: 'countersign-operators'
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'countersign'
    enabled: true
    emailReceivers: [
      { name: 'operators', emailAddress: alertEmail, useCommonAlertSchema: true }
    ]
  }
}

resource queries 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for alert in alerts.queries: {
    name: 'countersign-${alert.name}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: alert.title
      description: '${runbook}#${alert.name}'
      severity: alert.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: 'PT${alert.everyMinutes}M'
      windowSize: 'PT${alert.windowMinutes}M'
      criteria: {
        allOf: [
          {
            query: alert.query
            metricMeasureColumn: 'value'
            timeAggregation: 'Maximum'
            operator: any(alert.operator)
            threshold: alert.threshold
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
          }
        ]
      }
      actions: { actionGroups: empty(alertEmail) ? [] : [people.id] }
      autoMitigate: true
    }
  }
]

// Service Bus counts dead letters in metrics only: they reach no log.
resource deadLetters 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: 'countersign-${alerts.deadLetters.name}'
  location: 'global'
  tags: tags
  properties: {
    description: '${alerts.deadLetters.title}. ${runbook}#${alerts.deadLetters.name}'
    severity: alerts.deadLetters.severity
    enabled: true
    scopes: [serviceBusId]
    evaluationFrequency: 'PT1M'
    windowSize: 'PT5M'
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          criterionType: 'StaticThresholdCriterion'
          name: alerts.deadLetters.name
          metricNamespace: 'Microsoft.ServiceBus/namespaces'
          metricName: alerts.deadLetters.metric
          dimensions: [
            { name: 'EntityName', operator: 'Include', values: map(entities.serviceBus.queues, queue => queue.name) }
          ]
          operator: 'GreaterThan'
          threshold: 0
          timeAggregation: 'Maximum'
        }
      ]
    }
    actions: empty(alertEmail) ? [] : [{ actionGroupId: people.id }]
    autoMitigate: true
  }
}
