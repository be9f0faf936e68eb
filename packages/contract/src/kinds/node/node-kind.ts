/** Servers, as data. */
import { defineKind } from '../kind.ts';

export const nodeKind = defineKind({
  noun: 'server',
  path: 'nodes',
  acl: 'nodes',
  listSuffices: true,
  flag: 'nodes',
  sessionKind: 'ssh',
  joinRole: 'Node',
  offered: 'machine',
  installScript: 'install-node.sh',
  eventFamily: 'nodes',
  rules: ['node'],
  labels: 'node_labels',
  lockTarget: 'node',
  principals: [{ name: 'login', field: 'logins', required: true, login: true, main: true, offeredIn: 'logins' }],
  recording: 'terminal',
  recordingOption: 'ssh',
  countsSessions: true,
  joinable: true,
  sortable: ['name', 'hostname', 'address'],
  nameField: 'server_hostname',
  addressField: 'addr',
  proto: 'ssh',
  refusedVerb: 'sign in to',
});
