/** What clients and servers of each protocol say to each other, as far as the fuzzer breaks it. */

export interface DbScript {
  /** The server's side until somebody is in; `hear` waits for the other side. */
  welcome: readonly (Buffer | 'hear')[];
  answers: readonly Buffer[];
  hello: readonly (Buffer | 'hear')[];
  requests: readonly Buffer[];
}

const latin = (text: string) => Buffer.from(text, 'latin1');

function pg(type: string, body: string): Buffer {
  const message = latin(`${type}\0\0\0\0${body}`);
  message.writeUInt32BE(message.length - type.length, type.length);
  return message;
}

export const POSTGRES: DbScript = {
  welcome: ['hear', pg('R', '\0\0\0\0'), pg('S', 'server_version\x0015.4\0'), pg('K', 'abcdefgh'), pg('Z', 'I')],
  answers: [
    pg('T', '\0\x01a\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0'),
    pg('D', '\0\x01\0\0\0\x03abc'),
    pg('C', 'SELECT 1\0'),
    pg('C', `SELECT ${'9'.repeat(400)}\0`),
    pg('Z', 'I'),
    pg('Z', 'T'),
    pg('E', 'SERROR\0C42P01\0Mno such table\0\0'),
    pg('E', ''),
    pg('N', 'SNOTICE\0Mhello\0\0'),
    pg('1', ''),
    pg('2', ''),
    pg('3', ''),
    pg('n', ''),
    pg('I', ''),
    pg('G', '\0\0\0'),
    pg('H', '\0\0\0'),
    pg('W', '\0\0\0'),
    pg('d', 'row\n'),
    pg('c', ''),
    pg('A', 'abcdchannel\0payload\0'),
    pg('t', '\0\x01\0\0\0\x19'),
    pg('V', '\0\0\0\x01a'),
    pg('S', 'standard_conforming_strings\0off\0'),
    pg('R', '\0\0\0\x03'),
    pg('v', '\0\0\0\0\0\0\0\0'),
  ],
  hello: [pg('', '\0\x03\0\0user\0fuzz\0database\x000\0\0'), 'hear'],
  requests: [
    pg('Q', 'select 1\0'),
    pg('Q', "create role a password 'secret'\0"),
    pg('Q', 'x'.repeat(20_000)),
    pg('P', 's\0select $1\0\0\0'),
    pg('B', 'p\0s\0\0\0\0\x01\0\0\0\x03abc\0\0'),
    pg('B', 'p\0s\0\0\0\xff\xff'),
    pg('D', 'Sp\0'),
    pg('E', 'p\0\0\0\0\0'),
    pg('C', 'Ss\0'),
    pg('F', '\0\0\0\x01\0\0\0\x01\0\0\0\x01a\0\0'),
    pg('S', ''),
    pg('H', ''),
    pg('d', 'row\n'),
    pg('c', ''),
    pg('f', 'no\0'),
    pg('X', ''),
    pg('p', 'password\0'),
    latin('\0\0\0\x08\x04\xd2\x16\x2f'),
    latin('\0\0\0\x10\x04\xd2\x16\x2eabcdefgh'),
  ],
};

function my(number: number, body: string): Buffer {
  const packet = latin(`\0\0\0${String.fromCharCode(number)}${body}`);
  packet.writeUIntLE(packet.length - 4, 0, 3);
  return packet;
}
/** Long passwords, transactions, protocol 4.1, plugin authentication, multiple results: what servers of today have. */
const GREETING = `\x0a5.5.5-10.11.6-MariaDB\0\x07\0\0\0abcdefgh\0\xfe\xf7\x21\x02\0\xff\x81\x15\0\0\0\0\0\0\x07\0\0\0ijklmnopqrst\0mysql_native_password\0`;
const OK = '\0\0\0\x02\0\0\0';

export const MYSQL: DbScript = {
  welcome: [my(0, GREETING), 'hear', my(2, OK)],
  answers: [
    my(1, OK),
    my(1, '\x01'),
    my(2, '\x03def\0\0\0\x01a\0\x0c\x3f\0\x01\0\0\0\x08\x81\0\0\0\0'),
    my(3, '\xfe\0\0\x02\0'),
    my(4, '\x011'),
    my(1, '\xff\x28\x04#42000You have an error'),
    my(1, '\xff'),
    my(1, '\xfb/etc/passwd'),
    my(1, '\xfa'),
    my(1, '\0\x01\0\0\0\x01\0\x01\0\0\0\0'),
    my(0, '\xfc\xff\xff'),
    my(1, '\xfe\xff\xff\xff\xff\xff\xff\xff\xff'),
    latin('\xff\xff\xff\x01'),
  ],
  hello: [
    'hear',
    my(1, `\x85\xa6\xff\x01\0\0\0\x01\x21${'\0'.repeat(23)}fuzz\0\x140123456789012345678901234mysql_native_password\0`),
    'hear',
  ],
  requests: [
    my(0, '\x03select 1'),
    my(0, "\x03create user a identified by 'secret'"),
    my(0, '\x02other'),
    my(0, '\x16select ?'),
    my(0, '\x17\x01\0\0\0\0\x01\0\0\0\0\x01\x03\0\x05\0\0\0'),
    my(0, '\x18\x01\0\0\0\0\0abc'),
    my(0, '\x19\x01\0\0\0'),
    my(0, '\x1c\x01\0\0\0\x10\0\0\0'),
    my(0, '\x0e'),
    my(0, '\x1f'),
    my(0, '\x11root\0'),
    my(0, '\x12abc'),
    my(0, "\x03load data local infile '/etc/passwd' into table a"),
    my(2, 'file content'),
    my(2, ''),
    my(0, '\x01'),
    my(0, ''),
    my(0, `\x03${'x'.repeat(20_000)}`),
  ],
};

export const REDIS: DbScript = {
  welcome: ['hear', latin('+OK\r\n'), latin('+OK\r\n')],
  answers: [
    '+OK\r\n',
    '-ERR no\r\n',
    ':12\r\n',
    '$3\r\nabc\r\n',
    '$-1\r\n',
    '*2\r\n$1\r\na\r\n:1\r\n',
    '*-1\r\n',
    '*1000000000\r\n',
    `${'*1\r\n'.repeat(300)}:1\r\n`,
    '$99999999999\r\n',
    '%1\r\n+a\r\n:1\r\n',
    '~2\r\n:1\r\n:2\r\n',
    '>3\r\n+message\r\n+a\r\n+b\r\n',
    '|1\r\n+a\r\n+b\r\n:1\r\n',
    '_\r\n',
    '#t\r\n',
    ',1.5\r\n',
    '(123456789\r\n',
    '=7\r\ntxt:abc\r\n',
    '$?\r\n;2\r\nab\r\n;0\r\n',
    '+',
  ].map(latin),
  hello: ['hear'],
  requests: [
    '*1\r\n$4\r\nPING\r\n',
    '*2\r\n$3\r\nGET\r\n$1\r\na\r\n',
    'GET a\r\n',
    'SET "a\\x00b" \'c\'\r\n',
    '*3\r\n$4\r\nAUTH\r\n$1\r\na\r\n$1\r\nb\r\n',
    '*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n',
    '*2\r\n$6\r\nSELECT\r\n$1\r\n1\r\n',
    '*1\r\n$5\r\nMULTI\r\n',
    '*1\r\n$4\r\nEXEC\r\n',
    '*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n',
    '*1\r\n$5\r\nRESET\r\n',
    '*1\r\n$7\r\nMONITOR\r\n',
    '*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n',
    '*1000000000\r\n',
    '*1\r\n$1000000000\r\n',
    '*-1\r\n',
    '*0\r\n',
    '\r\n',
    `*2\r\n$4\r\nECHO\r\n$20000\r\n${'x'.repeat(20_000)}\r\n`,
  ].map(latin),
};

/** A message whose body is given in hexadecimal, behind its kind. */
function mongo(id: number, answers: number, body: string): Buffer {
  const message = Buffer.concat([Buffer.alloc(16), Buffer.alloc(4), Buffer.from(body, 'hex')]);
  for (const [at, value] of [message.length, id, answers, 2013].entries()) message.writeInt32LE(value, at * 4);
  return message;
}
/** `{hello: 1, $db: "0"}` and other documents, as bytes. */
const HELLO = '001b0000001068656c6c6f000100000002246462000200000030000000';
const FIND = '00210000000266696e64000200000061000224646200020000003000'.padEnd(66, '0');
const GOOD = '0011000000016f6b00000000000000f03f00';

export const MONGODB: DbScript = {
  welcome: ['hear', mongo(1, 1, GOOD), 'hear', mongo(2, 2, GOOD)],
  answers: [
    mongo(3, 1, GOOD),
    mongo(3, 2, '0011000000016f6b00000000000000000000'),
    mongo(3, 2, '01ffffff7f6100'),
    mongo(3, 2, '00ffffff7f'),
    mongo(3, 2, `${GOOD}${GOOD}`),
    latin('\xff\xff\xff\x7f\0\0\0\0\0\0\0\0\xdd\x07\0\0'),
    latin('\x10\0\0\0\0\0\0\0\0\0\0\0\xdc\x07\0\0'),
  ],
  hello: [mongo(1, 0, HELLO), 'hear'],
  requests: [
    mongo(2, 0, HELLO),
    mongo(3, 0, FIND),
    mongo(4, 0, `${FIND}${FIND}`),
    mongo(5, 0, `${FIND}01100000006100${'05000000'}00`),
    mongo(6, 0, '00ffffff7f'),
    latin('\xff\xff\xff\x02\0\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0'),
    latin('\x15\0\0\0\0\0\0\0\0\0\0\0\xdc\x07\0\0abcde'),
  ],
};
