/** Databases, as data. */
import { defineKind } from '../kind.ts';

export const dbKind = defineKind({
  noun: 'database',
  path: 'databases',
  acl: 'dbServers',
  flag: 'databases',
  sessionKind: 'db',
  joinRole: 'Db',
  installScript: 'install-database.sh',
  shared: { hosts: false },
  eventFamily: 'databases',
  rules: ['db_server', 'db'],
  labels: 'db_labels',
  givenByV3: true,
  principals: [
    {
      name: 'dbUser',
      field: 'db_users',
      userTrait: 'databaseUsers',
      required: true,
      login: true,
      main: true,
      starAllows: true,
      testedAs: 'database_user',
    },
    {
      name: 'dbName',
      field: 'db_names',
      userTrait: 'databaseNames',
      with: 'dbUser',
      starAllows: true,
      preposition: 'on',
      testedAs: 'database_name',
    },
  ],
  ignoresCase: 'asked',
  recording: 'none',
  sortable: ['name', 'description', 'type'],
  testSteps: ['access', 'reach', 'tcp', 'tls', 'login', 'database'],
  factorBody: { part: 'database', name: 'service_name', must: ['protocol'], may: ['username', 'database_name'] },
  nameField: 'database_name',
});
