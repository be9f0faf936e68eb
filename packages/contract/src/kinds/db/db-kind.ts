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
  eventFamily: 'databases',
  rules: ['db_server', 'db'],
  labels: 'db_labels',
  principals: [
    { name: 'dbUser', field: 'db_users', required: true, login: true, main: true },
    { name: 'dbName', field: 'db_names', with: 'dbUser', preposition: 'on' },
  ],
  ignoresCase: 'asked',
  recording: 'none',
  sortable: ['name', 'description', 'type'],
  nameField: 'database_name',
});
