import { expect, test } from 'vitest';
import { readXml, XmlRefused } from './read-xml.ts';

test('elements, namespaces, attributes and text are read', () => {
  const read = readXml(
    '<?xml version="1.0"?>\n<a:b xmlns:a="urn:a" xmlns="urn:d" c="&lt;1\n2&#x41;" a:c=\'x\'>one<d/>two &amp; three</a:b>\n',
    { comments: 'refused' },
  );

  expect(read).toEqual({
    local: 'b',
    namespace: 'urn:a',
    attributes: [
      { local: 'c', namespace: '', value: '<1 2A' },
      { local: 'c', namespace: 'urn:a', value: 'x' },
    ],
    children: [{ local: 'd', namespace: 'urn:d', attributes: [], children: [], text: '' }],
    text: 'onetwo & three',
  });
});

test('comments are skipped where they may be', () => {
  expect(readXml('<!-- a --><b>c<!-- > -->d</b><!-- e -->', { comments: 'skipped' }).text).toBe('cd');
  expect(() => readXml('<b><!-- a', { comments: 'skipped' })).toThrow(XmlRefused);
  expect(() => readXml('<b><!-- a -- b --></b>', { comments: 'skipped' })).toThrow(XmlRefused);
});

test.each([
  ['elements', '<a><b/><b/><b/></a>', 4],
  ['attributes', '<a b="" c="" d=""/>', 4],
  ['declarations of prefixes', '<a xmlns="u" xmlns:b="u" xmlns:c="u"/>', 4],
  ['texts', '<a>x<b/>y<b/>z</a>', 6],
  ['texts around the root', '\n<a/>\n', 3],
])('%s are counted where there is a bound', (_, xml, nodes) => {
  expect(readXml(xml, { comments: 'skipped', maxNodes: nodes }).local).toBe('a');
  expect(() => readXml(xml, { comments: 'skipped', maxNodes: nodes - 1 })).toThrow(
    `it holds more than ${nodes - 1} elements, attributes and texts`,
  );
});

test('a quarter of a megabyte of one thing is read or refused at once', () => {
  const size = 256 * 1024;
  const worst = [' ', '&', '&amp;', '<', '<a', '<a ', '<a b="', '<!--', 'x', ']]', '</', '<a b=""/>', '<a\n\n\n '];
  const before = process.cpuUsage();

  for (const piece of worst)
    for (const around of ['', '<r>', '<r '])
      try {
        readXml(`${around}${piece.repeat(size / piece.length)}`, { comments: 'skipped' });
      } catch (error) {
        expect(error).toBeInstanceOf(XmlRefused);
      }

  // Of the processor, not of the clock: others work beside a test. What grows with the square takes minutes.
  expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
});
