/** What the wire says of each kind: what agents report, its calls and its sockets. Beside the rows and not in them, because the sign-in page reads rows and loads no schemas. */
import type { z } from 'zod';
import type { Routes } from '../wire/route.ts';
import { appSchemas } from './app/app-schemas.ts';
import type { Kind } from './kinds.ts';
import { nodeSchemas } from './node/node-schemas.ts';

export interface KindSchemas {
  /** What an agent says of each one that it offers. A kind without it is offered by none. */
  reported?: z.ZodObject<{
    kind: z.ZodLiteral<string>;
    id: z.ZodString;
    name: z.ZodString;
    labels: z.ZodType<Record<string, string>>;
    spec: z.ZodType;
  }>;
  /** By feature: the first half of the operation's id. */
  routes?: Readonly<Record<string, Routes>>;
  sockets?: readonly string[];
}

export const KIND_SCHEMAS = {
  node: nodeSchemas,
  app: appSchemas,
  kube: {},
  db: {},
  desktop: {},
} as const satisfies Record<Kind, KindSchemas>;

type SchemaRows = (typeof KIND_SCHEMAS)[Kind];
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

type ReportedSchema = Extract<SchemaRows, { reported: unknown }>['reported'];
export type KindRoutes = Together<Extract<SchemaRows, { routes: unknown }>['routes']>;

const all: readonly KindSchemas[] = Object.values(KIND_SCHEMAS);

export const reportedSchemas = all.flatMap(({ reported }) => reported ?? []) as unknown as readonly [
  ReportedSchema,
  ...ReportedSchema[],
];
export const kindRoutes = Object.assign({}, ...all.map(({ routes }) => routes)) as KindRoutes;
export const kindSockets: readonly string[] = all.flatMap(({ sockets }) => sockets ?? []);
