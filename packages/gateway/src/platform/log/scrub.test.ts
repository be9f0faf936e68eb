import { expect, test } from 'vitest';
import { scrubLine, scrubText } from './scrub.ts';

test.each([
  ['postgres://ann:x1@ss@db/gate', 'postgres://ann:[secret]@db/gate'],
  ['https://:x1@db and ftp://b:x2@c', 'https://:[secret]@db and ftp://b:[secret]@c'],
  ['https://db:443/a@b', 'https://db:443/a@b'],
])('no address keeps its password: %s', (text, scrubbed) => {
  expect(scrubText(text)).toBe(scrubbed);
});

test.each(['a', 'a://', '://a:', 'bearer ', '-----BEGIN '])('no line takes long: many of %j', (many) => {
  const line = JSON.stringify({ msg: `token ${many.repeat(100_000 / many.length)}` });
  const before = process.threadCpuUsage();
  scrubLine(line);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(3_000);
});
