/** The body of an object that is made, where rules are about its name: read before it is sent, and sent as it was read. */
import type { Readable } from 'node:stream';
import { AppError } from '../../../platform/std/app-error.ts';
import { skipSpace, ValueScan } from './filter/value-scan.ts';
import { protobufName } from './protobuf-name.ts';
import { readWholeBody } from './whole-body.ts';

const OPEN_OBJECT = 0x7b;

export interface NamedBody {
  /** Empty where the cluster is to choose it. */
  name: string;
  body: Buffer;
}

/** `headers`: names and values in turn. */
export async function readNamedBody(headers: readonly string[], source: Readable | undefined): Promise<NamedBody> {
  const value = (name: string) => {
    const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
    return at < 0 ? '' : headers[at + 1]!.trim().toLowerCase();
  };
  const [type = ''] = value('content-type').split(';');
  const read = READERS.get(type.trim());
  if (!read || value('content-encoding') !== '')
    throw new AppError(
      'bad_request',
      'your roles say which names you may make there, so what is made must come in a form that can be read: application/json',
    );
  const body = await readWholeBody(source);
  return { name: read(body), body };
}

/** Without a word servers take it for JSON, and older kubectl say none. */
const READERS: ReadonlyMap<string, (body: Buffer) => string> = new Map([
  ['', nameInJson],
  ['application/json', nameInJson],
  ['application/vnd.kubernetes.protobuf', nameInProtobuf],
]);

function nameInJson(body: Buffer): string {
  const scan = new ValueScan({ path: ['metadata'], texts: [[], ['name']] });
  const from = skipSpace(body, 0, body.length);
  const end = scan.run(body, from, body.length);
  if (body[from] !== OPEN_OBJECT || end < 0 || skipSpace(body, end, body.length) < body.length)
    throw new AppError('bad_request', 'what is made is no JSON object');
  // Servers put two of them together, readers take one: nobody knows which name is made.
  if (scan.isDoubtful) throw new AppError('bad_request', 'what is made says its metadata or its name in two ways');
  return scan.text(1, 'name') ?? '';
}

function nameInProtobuf(body: Buffer): string {
  const name = protobufName(body);
  if (name === undefined)
    throw new AppError('bad_request', 'what is made has no name that could be read; send it as JSON');
  return name;
}
