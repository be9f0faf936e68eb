/** Names of PostgreSQL's own types, so that nobody has to ask for those of most results. Others are asked for at the server. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [16, 'bool'],
  [17, 'bytea'],
  [18, '"char"'],
  [19, 'name'],
  [20, 'int8'],
  [21, 'int2'],
  [23, 'int4'],
  [24, 'regproc'],
  [25, 'text'],
  [26, 'oid'],
  [114, 'json'],
  [142, 'xml'],
  [700, 'float4'],
  [701, 'float8'],
  [790, 'money'],
  [869, 'inet'],
  [650, 'cidr'],
  [1000, 'bool[]'],
  [1005, 'int2[]'],
  [1007, 'int4[]'],
  [1009, 'text[]'],
  [1015, 'varchar[]'],
  [1016, 'int8[]'],
  [1042, 'char'],
  [1043, 'varchar'],
  [1082, 'date'],
  [1083, 'time'],
  [1114, 'timestamp'],
  [1184, 'timestamptz'],
  [1186, 'interval'],
  [1266, 'timetz'],
  [1560, 'bit'],
  [1562, 'varbit'],
  [1700, 'numeric'],
  [2205, 'regclass'],
  [2249, 'record'],
  [2278, 'void'],
  [2950, 'uuid'],
  [3614, 'tsvector'],
  [3802, 'jsonb'],
]);
const NUMERIC = 1700;
const WITH_LENGTH = [1042, 1043];
const HEADER = 4;

/** Empty where it is none of them. */
export function ownTypeName(id: number, modifier: number): string {
  const name = NAMES.get(id) ?? '';
  if (modifier < HEADER) return name;
  if (id === NUMERIC) return `${name}(${((modifier - HEADER) >> 16) & 0xffff},${(modifier - HEADER) & 0x7ff})`;
  return WITH_LENGTH.includes(id) ? `${name}(${modifier - HEADER})` : name;
}
