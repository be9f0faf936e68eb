/** What somebody typed, as the bytes that a server of MongoDB reads. */
import type { MongoDocument, MongoField, MongoValue } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { BSON } from '../../engine/mongodb/bson.ts';
import { SqlError } from '../thread/sql-client.ts';
import { decimalBytes } from './decimal.ts';

export function writeBson({ fields }: MongoDocument): Buffer {
  return documentOf(fields);
}

function documentOf(fields: Iterable<MongoField>): Buffer {
  const parts: Buffer[] = [Buffer.alloc(4)];
  for (const { name, value } of fields) {
    const { type, bytes } = encoded(value);
    parts.push(Buffer.of(type), Buffer.from(`${name}\0`), bytes);
  }
  parts.push(Buffer.alloc(1));
  const whole = Buffer.concat(parts);
  whole.writeInt32LE(whole.length);
  return whole;
}

const NOTHING = Buffer.alloc(0);

function encoded(value: MongoValue): { type: number; bytes: Buffer } {
  switch (value.is) {
    case 'document':
      return { type: BSON.document, bytes: documentOf(value.fields) };
    case 'array':
      return {
        type: BSON.array,
        bytes: documentOf(value.values.map((each, index) => ({ name: String(index), value: each }))),
      };
    case 'text':
      return { type: BSON.string, bytes: text(value.text) };
    case 'code':
      return { type: BSON.code, bytes: text(value.text) };
    case 'symbol':
      return { type: BSON.symbol, bytes: text(value.text) };
    case 'int':
      return { type: BSON.int32, bytes: int32(Number(value.text)) };
    case 'long':
      return { type: BSON.int64, bytes: int64(BigInt(value.text)) };
    case 'date':
      return { type: BSON.date, bytes: int64(BigInt(value.text)) };
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value.text));
      return { type: BSON.double, bytes };
    }
    case 'decimal': {
      const bytes = decimalBytes(value.text);
      if (!bytes) throw new SqlError('bad_request', `'${value.text}' has more digits than a decimal number has`);
      return { type: BSON.decimal, bytes };
    }
    case 'oid':
      return { type: BSON.objectId, bytes: Buffer.from(value.text, 'hex') };
    case 'bool':
      return { type: BSON.boolean, bytes: Buffer.of(value.value ? 1 : 0) };
    case 'null':
    case 'undefined':
    case 'minKey':
    case 'maxKey':
      return { type: BSON[value.is], bytes: NOTHING };
    case 'binary': {
      const bytes = Buffer.from(value.base64, 'base64');
      return {
        type: BSON.binary,
        bytes: Buffer.concat([int32(bytes.length), Buffer.from(value.subType, 'hex'), bytes]),
      };
    }
    case 'regex':
      return { type: BSON.regex, bytes: Buffer.from(`${value.pattern}\0${value.options}\0`) };
    case 'timestamp': {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32LE(value.i, 0);
      bytes.writeUInt32LE(value.t, 4);
      return { type: BSON.timestamp, bytes };
    }
    case 'scopedCode': {
      const parts = [text(value.text), documentOf(value.scope.fields)];
      const size = parts.reduce((sum, part) => sum + part.length, 4);
      return { type: BSON.codeWithScope, bytes: Buffer.concat([int32(size), ...parts]) };
    }
    case 'pointer':
      return { type: BSON.pointer, bytes: Buffer.concat([text(value.ref), Buffer.from(value.oid, 'hex')]) };
    default:
      return value satisfies never;
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(`${value}\0`);
  return Buffer.concat([int32(bytes.length), bytes]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}
