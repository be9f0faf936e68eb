/** Events of SQL Server, Cassandra, Elasticsearch and DynamoDB. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { anyObject, byUser, database, session } from '../../events/event-fields.ts';
import { cut, line, when } from '../../events/line.ts';

const about = { kind: 'db', name: 'db_service' } as const;
const dbSession = { ...byUser, ...session, ...database } as const;
const http = { path: z.string(), raw_query: z.string(), method: z.string() } as const;
const dynamodb = {
  ...dbSession,
  ...http,
  status_code: z.number(),
  target: z.string(),
  body: anyObject.optional(),
} as const;
const CATEGORIES = ['general', 'security', 'search', 'SQL'];

export const sqlserverRpc = defineEvent({
  code: 'TMS00I',
  event: 'db.session.sqlserver.rpc_request',
  label: 'SQLServer RPC Request',
  about,
  fields: { ...dbSession, proc_name: z.string().optional(), parameters: z.array(z.string()).optional() },
  tell: ({ user, proc_name, db_service }) => line`${user} called the procedure ${proc_name} in ${db_service}`,
});

export const cassandraBatch = defineEvent({
  code: 'TCA01I',
  event: 'db.session.cassandra.batch',
  label: 'Cassandra Batch',
  about,
  fields: {
    ...dbSession,
    consistency: z.string().optional(),
    keyspace: z.string().optional(),
    batch_type: z.string().optional(),
    children: z.array(z.unknown()).optional(),
  },
  tell: ({ user, db_service }) => line`${user} ran a batch of statements in ${db_service}`,
});

export const cassandraPrepare = defineEvent({
  code: 'TCA02I',
  event: 'db.session.cassandra.prepare',
  label: 'Cassandra Prepare Event',
  about,
  fields: { ...dbSession, query: z.string(), keyspace: z.string().optional() },
  tell: ({ user, query, db_service }) => line`${user} prepared ${cut(query)} in ${db_service}`,
});

export const cassandraExecute = defineEvent({
  code: 'TCA03I',
  event: 'db.session.cassandra.execute',
  label: 'Cassandra Execute',
  about,
  fields: { ...dbSession, query_id: z.string().optional() },
  tell: ({ user, query_id, db_service }) => line`${user} ran the prepared statement ${query_id} in ${db_service}`,
});

export const cassandraRegister = defineEvent({
  code: 'TCA04I',
  event: 'db.session.cassandra.register',
  label: 'Cassandra Register',
  about,
  fields: { ...dbSession, event_types: z.array(z.string()).optional() },
  tell: ({ user, db_service, event_types }) => line`${user} asked ${db_service} to be told of ${event_types}`,
});

export const elasticsearchRequest = defineEvent({
  code: 'TES00I',
  event: 'db.session.elasticsearch.request',
  label: 'Elasticsearch Request',
  about,
  fields: {
    ...dbSession,
    ...http,
    body: z.string(),
    headers: z.record(z.string(), z.unknown()).optional(),
    category: z.number(),
    target: z.string(),
    query: z.string(),
  },
  tell: ({ user, category, db_service, query, method, path, target }) =>
    line`${user} made a ${CATEGORIES[category ?? -1] ?? 'other'} request to ${db_service}: ${query ? cut(query) : line`${method} ${path}`}${when(target, line` on ${target}`)}`,
});

export const dynamodbRequest = defineEvent({
  code: 'TDY01I',
  event: 'db.session.dynamodb.request',
  label: 'DynamoDB Request',
  about,
  fields: dynamodb,
  tell: ({ user, target, db_service }) => line`${user} sent ${target} to ${db_service}`,
});

export const dynamodbRequestFailed = defineEvent({
  code: 'TDY01E',
  event: 'db.session.dynamodb.request',
  label: 'DynamoDB Request Failed',
  about,
  fields: dynamodb,
  tell: ({ user, target, db_service, status_code }) =>
    line`${user} sent ${target} to ${db_service}, which failed with status ${status_code}`,
});
