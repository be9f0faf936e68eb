/** What agents and join tokens say of each kind. Beside the rows and not in them, because the sign-in page reads rows and loads no schemas; its calls stand in kind-routes.ts. */
import type { z } from 'zod';
import { appSchemas } from './app/app-schemas.ts';
import { dbSchemas } from './db/db-schemas.ts';
import { desktopSchemas } from './desktop/desktop-schemas.ts';
import type { KINDS, Kind } from './kinds.ts';
import { kubeSchemas } from './kube/kube-schemas.ts';
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
  /** A name of one in what tokens let machines offer, or a part of it with `*`. */
  offerName?: z.ZodString;
  /** What the command of a join token says of the one its agent will offer: texts, of which one is its name. */
  named?: z.ZodObject<Record<string, z.ZodString> & { name: z.ZodString }>;
}

export const KIND_SCHEMAS = {
  node: nodeSchemas,
  app: appSchemas,
  kube: kubeSchemas,
  db: dbSchemas,
  desktop: desktopSchemas,
} as const satisfies { [K in Kind]: SchemasFor<(typeof KINDS)[K]> };

/** What agents offer is reported and named in tokens; what they offer by name, also in a token's command. */
type SchemasFor<Row> = Row extends { offered: 'named'; offeredAt: infer At extends string }
  ? Required<KindSchemas> & { named: z.ZodObject<Record<'name' | At, z.ZodString>> }
  : Row extends { offered: 'machine' }
    ? KindSchemas & Required<Pick<KindSchemas, 'reported' | 'offerName'>>
    : KindSchemas;

type SchemaRows = (typeof KIND_SCHEMAS)[Kind];
/** Schemas of fields that may each be missing, by what they hold. */
export type OptionalFields<Fields> = {
  [Name in keyof Fields]-?: z.ZodOptional<z.ZodType<NonNullable<Fields[Name]>, NonNullable<Fields[Name]>>>;
};

type ReportedSchema = Extract<SchemaRows, { reported: unknown }>['reported'];

/** By its path, as tokens have it. */
export type KindOffers = {
  [K in Kind as (typeof KIND_SCHEMAS)[K] extends { offerName: unknown } ? (typeof KINDS)[K]['path'] : never]?: string[];
};
/** By its kind, as the body that makes a token has it. */
export type KindNamed = {
  [K in Kind as (typeof KIND_SCHEMAS)[K] extends { named: unknown } ? K : never]?: (typeof KIND_SCHEMAS)[K] extends {
    named: infer Named extends z.ZodType;
  }
    ? z.output<Named>
    : never;
};

export function schemasOf(kind: Kind): KindSchemas {
  return KIND_SCHEMAS[kind] ?? {};
}

const all: readonly KindSchemas[] = Object.values(KIND_SCHEMAS);

export const reportedSchemas = all.flatMap(({ reported }) => reported ?? []) as unknown as readonly [
  ReportedSchema,
  ...ReportedSchema[],
];
