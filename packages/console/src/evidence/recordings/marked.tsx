/** A line of a recorded screen with the words that were found in it. */
import { Fragment } from 'react';
import styles from './marked.module.css';

interface MarkedProps {
  line: string;
  /** Pairs of begin and length. */
  marks: readonly (readonly [number, number])[];
}

export function Marked({ line, marks }: MarkedProps) {
  const parts = partsOf(line, marks);
  return (
    <bdi className={styles.line} data-terminal="">
      {parts.map(({ text, isMarked, at }) =>
        isMarked ? <mark key={at}>{text}</mark> : <Fragment key={at}>{text}</Fragment>,
      )}
    </bdi>
  );
}

/** A long line begins shortly before the first find. */
const LEAD = 24;

/** The gateway's marks are taken as they come: out of order, over each other, beyond the end. */
export function partsOf(line: string, marks: MarkedProps['marks']) {
  const sorted = marks
    .map(([begin, length]) => ({ begin: Math.max(0, begin), end: Math.min(line.length, begin + length) }))
    .filter(({ begin, end }) => begin < end)
    .sort((a, b) => a.begin - b.begin);
  const first = sorted[0]?.begin ?? 0;
  const start = first > LEAD * 2 ? first - LEAD : 0;
  const parts: { text: string; isMarked: boolean; at: number }[] = [];
  let at = start;
  if (start > 0) parts.push({ text: '…', isMarked: false, at: -1 });
  for (const { begin, end } of sorted) {
    if (begin > at) parts.push({ text: line.slice(at, begin), isMarked: false, at });
    if (end > at) parts.push({ text: line.slice(Math.max(at, begin), end), isMarked: true, at: Math.max(at, begin) });
    at = Math.max(at, end);
  }
  if (at < line.length) parts.push({ text: line.slice(at), isMarked: false, at });
  return parts;
}
