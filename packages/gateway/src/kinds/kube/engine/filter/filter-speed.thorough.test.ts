import { expect, test } from 'vitest';
import { ListScan } from './list-scan.ts';

const pod = (number: number) => ({
  metadata: {
    name: `web-${number}`,
    namespace: number % 2 ? 'dev' : 'prod',
    labels: { app: 'web', hash: 'abc' },
    managedFields: [{ manager: 'kubelet', fieldsV1: { 'f:status': { 'k:{"type":"Ready"}': { '.': {} } } } }],
  },
  spec: {
    containers: [{ env: Array.from({ length: 20 }, (_, at) => ({ name: `V${at}`, value: 'a "quoted" \\ value' })) }],
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], imageID: 'a'.repeat(64) },
});
const PIECE = 64 * 1024;

function cpu(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

test('filtering a list of 5,000 pods takes less than parsing and writing it', () => {
  const bytes = Buffer.from(
    JSON.stringify({ kind: 'PodList', items: Array.from({ length: 5_000 }, (_, at) => pod(at)) }),
  );
  let kept = 0;
  const scan = () => {
    const list = new ListScan((namespace) => namespace === 'dev');
    for (let at = 0; at < bytes.length; at += PIECE) list.write(bytes.subarray(at, at + PIECE));
    list.finish();
    kept = list.kept;
  };
  const parse = () => {
    const list = JSON.parse(bytes.toString()) as { items: ReturnType<typeof pod>[] };
    return JSON.stringify({ ...list, items: list.items.filter(({ metadata }) => metadata.namespace === 'dev') });
  };
  const rounds = Array.from({ length: 9 }, () => ({ scan: cpu(scan), parse: cpu(parse) }));

  expect(kept).toBe(2_500);
  expect(median(rounds.map((each) => each.scan))).toBeLessThan(median(rounds.map((each) => each.parse)));
});

test('many small pieces of one long text cost about what a few large ones do', () => {
  const text = Buffer.from(`{"items":[{"metadata":{"name":"a"},"x":"${'y'.repeat(2_000_000)}"}]}`);
  const inPieces = (size: number) => () => {
    const list = new ListScan(() => true);
    for (let at = 0; at < text.length; at += size) list.write(text.subarray(at, at + size));
    list.finish();
  };
  cpu(inPieces(100));

  // Were each byte looked at with each piece, it would be ten thousand times as much.
  expect(cpu(inPieces(100))).toBeLessThan(1_000_000);
  expect(cpu(inPieces(PIECE))).toBeLessThan(1_000_000);
});
