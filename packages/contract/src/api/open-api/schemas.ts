/** Turns the contract's shapes into JSON schemas that refer to each other by name. */
import { z } from 'zod';
import { SCHEMA_NAMES } from './named-schemas.ts';

export type Json = Record<string, unknown>;

const PLACE = '#/components/schemas/';

export interface Schemas {
  /** Under its own name, or the one that is given when it has none; gives the reference. */
  named(name: string, type: z.ZodType): Json;
  /** As it stands, also when it has a name, with references to what has one inside. */
  inline(type: z.ZodType): Json;
  /** Everything that was referred to. */
  components(): Record<string, Json>;
}

export function createSchemas(): Schemas {
  const known: Record<string, Json> = {};

  const converted = (type: z.ZodType): Json => {
    // What travels is what handlers hand in, and what callers send: the input side of both.
    const made = z.toJSONSchema(type, {
      io: 'input',
      unrepresentable: 'any',
      target: 'draft-2020-12',
      metadata: NAMES as unknown as typeof z.globalRegistry,
    });
    const { $schema: _, $defs = {}, ...rest } = made as Json & { $defs?: Record<string, Json> };
    for (const [name, each] of Object.entries($defs)) known[name] = placed(each);
    return placed(rest);
  };

  return {
    named(name, type) {
      const made = converted(type);
      // Already a reference: it has a name of its own, or is made of nothing else.
      if (Object.keys(made).length === 1 && typeof made.$ref === 'string') return made;
      known[name] = made;
      return { $ref: `${PLACE}${name}` };
    },
    inline(type) {
      const made = converted(type);
      const own = typeof made.$ref === 'string' ? made.$ref.slice(PLACE.length) : undefined;
      return (own === undefined ? undefined : known[own]) ?? made;
    },
    components: () => Object.fromEntries(Object.entries(known).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** What the library asks a registry: descriptions are where everybody puts them, ids are ours. */
const NAMES = {
  get(type: z.ZodType): Json | undefined {
    const id = SCHEMA_NAMES.get(type);
    const meta = z.globalRegistry.get(type);
    return id === undefined ? meta : { ...meta, id };
  },
  has: (type: z.ZodType) => SCHEMA_NAMES.has(type) || z.globalRegistry.has(type),
};

/** Definitions of one schema are components of the document. */
function placed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(placed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' ? [key, value.replace('#/$defs/', PLACE)] : [key, placed(value)],
    ),
  ) as T;
}
