/** A value of MongoDB with its type, as people write it and as documents hold it: fields keep their order, and numbers their kind. */

export interface MongoField {
  name: string;
  value: MongoValue;
}

export type MongoValue =
  | { is: 'document'; fields: readonly MongoField[] }
  | { is: 'array'; values: readonly MongoValue[] }
  | { is: 'text' | 'code' | 'symbol'; text: string }
  /** Digits, as they were written. */
  | { is: 'int' | 'long'; text: string }
  | { is: 'double' | 'decimal'; text: string }
  /** 24 hexadecimal digits. */
  | { is: 'oid'; text: string }
  /** Milliseconds since 1970. */
  | { is: 'date'; text: string }
  | { is: 'bool'; value: boolean }
  | { is: 'null' | 'undefined' | 'minKey' | 'maxKey' }
  /** `subType`: two hexadecimal digits. */
  | { is: 'binary'; base64: string; subType: string }
  | { is: 'regex'; pattern: string; options: string }
  | { is: 'timestamp'; t: number; i: number }
  | { is: 'scopedCode'; text: string; scope: MongoDocument }
  | { is: 'pointer'; ref: string; oid: string };

export type MongoDocument = Extract<MongoValue, { is: 'document' }>;

/** Servers store no document that is deeper; they answer with a few levels more. */
export const MAX_MONGO_DEPTH = 200;

export function mongoDocument(fields: Readonly<Record<string, MongoValue>>): MongoDocument {
  return { is: 'document', fields: Object.entries(fields).map(([name, value]) => ({ name, value })) };
}

export function fieldOf(value: MongoValue | undefined, name: string): MongoValue | undefined {
  return value?.is === 'document' ? value.fields.find((field) => field.name === name)?.value : undefined;
}

export function textIn(value: MongoValue | undefined, name: string): string | undefined {
  const found = fieldOf(value, name);
  return found?.is === 'text' ? found.text : undefined;
}

/** Of any kind that a number may be of; undefined where it is none. */
export function numberIn(value: MongoValue | undefined, name: string): number | undefined {
  const found = fieldOf(value, name);
  if (found?.is === 'bool') return found.value ? 1 : 0;
  return found?.is === 'int' || found?.is === 'long' || found?.is === 'double' ? Number(found.text) : undefined;
}
