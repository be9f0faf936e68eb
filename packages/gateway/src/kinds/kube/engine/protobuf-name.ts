/** The name in an object as newer clients send it: protobuf in the envelope of Kubernetes. Only as much is read as says the name, and whatever could be read in two ways is refused. */

const MAGIC = Buffer.from('k8s\0');
/** Fields: the object in the envelope, what packs it there, the metadata of every object, the name in it. */
const RAW = 2;
const ENCODING = 3;
const METADATA = 1;
const NAME = 1;
const MAX_TAG = 0xffffffff;

interface Field {
  number: number;
  /** Undefined of a number. */
  bytes: Buffer | undefined;
}

/** Empty where the cluster is to choose one, undefined where it cannot be told. */
export function protobufName(body: Buffer): string | undefined {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const envelope = fieldsOf(body.subarray(MAGIC.length));
  if (!envelope || envelope.some(({ number, bytes }) => number === ENCODING && bytes?.length !== 0)) return undefined;
  const object = fieldsOf(only(envelope, RAW) ?? null);
  const metadata = object && fieldsOf(only(object, METADATA) ?? null);
  if (!metadata) return undefined;
  if (!metadata.some(({ number }) => number === NAME)) return '';
  return only(metadata, NAME)?.toString('utf8');
}

/** Two would be put together by servers. */
function only(fields: readonly Field[], wanted: number): Buffer | undefined {
  const found = fields.filter(({ number }) => number === wanted);
  return found.length === 1 ? found[0]!.bytes : undefined;
}

function fieldsOf(bytes: Buffer | null): Field[] | undefined {
  if (!bytes) return undefined;
  const fields: Field[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = readNumber(bytes, at);
    // Servers cut larger ones off, each in its own way.
    if (!tag || tag.value > MAX_TAG) return undefined;
    const [number, type] = [tag.value >>> 3, tag.value & 7];
    at = tag.end;
    if (type === 2) {
      const length = readNumber(bytes, at);
      if (!length || length.end + length.value > bytes.length) return undefined;
      at = length.end + length.value;
      fields.push({ number, bytes: bytes.subarray(length.end, at) });
      continue;
    }
    const skipped = type === 0 ? readNumber(bytes, at)?.end : type === 1 ? at + 8 : type === 5 ? at + 4 : undefined;
    if (number === 0 || skipped === undefined || skipped > bytes.length) return undefined;
    fields.push({ number, bytes: undefined });
    at = skipped;
  }
  return fields;
}

/** Numbers beyond what a tag or a length can be are read past, and their value is not asked for. */
function readNumber(bytes: Buffer, from: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let place = 0; place < 10 && from + place < bytes.length; place += 1) {
    const byte = bytes[from + place]!;
    value += (byte & 0x7f) * 2 ** (7 * place);
    if (byte < 0x80) return { value, end: from + place + 1 };
  }
  return undefined;
}
