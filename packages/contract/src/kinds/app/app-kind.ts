/** Applications, as data. */
import { defineKind } from '../kind.ts';

export const appKind = defineKind({
  noun: 'application',
  path: 'apps',
  document: 'app',
  acl: 'appServers',
  flag: 'applications',
  sessionKind: 'app',
  joinRole: 'App',
  offered: 'named',
  installScript: 'install-app.sh',
  offeredAt: 'uri',
  shared: { hosts: true },
  eventFamily: 'apps',
  rules: ['app_server', 'app'],
  labels: 'app_labels',
  givenByV3: true,
  principals: [
    { name: 'awsRoleArn', field: 'aws_role_arns', userTrait: 'awsRoleArns', main: true },
    { name: 'azureIdentity', field: 'azure_identities' },
    { name: 'gcpServiceAccount', field: 'gcp_service_accounts' },
  ],
  recording: 'none',
  sortable: ['name', 'description', 'publicAddress'],
  testSteps: ['access', 'reach', 'tcp', 'tls', 'protocol'],
  draftSteps: ['reach', 'tcp', 'tls', 'protocol'],
  nameField: 'app_name',
  refusedVerb: 'open the application',
});
