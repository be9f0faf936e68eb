/** Lines of logs: only those in sight are on the page. Scrolling up stops following; the end is found again by a button. */
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import CornerDownRight from 'lucide-react/icons/corner-down-right';
import { useLayoutEffect, useRef, useState } from 'react';
import { type LogLine, levelOf } from './log-book.ts';
import styles from './logs.module.css';

const LINE_PX = 20;
const MORE_LINES = 20;
/** Where nothing is laid out, as in tests. */
const BOX_PX = 800;
/** So near to the end is at it. */
const NEAR_PX = 4;

interface LogLinesProps {
  label: string;
  lines: readonly LogLine[];
  /** Changes with them. */
  version: number;
  nameOf: (source: number) => string;
  showsTime: boolean;
  search: string;
  /** Which line is looked at, of those that are shown. */
  current: number | undefined;
  isFollowing: boolean;
  onFollowing: (is: boolean) => void;
  /** Each line leads to what stands around it. */
  pick?: { label: (line: LogLine) => string; on: (index: number) => void } | undefined;
}

export function LogLines(props: LogLinesProps) {
  const { label, lines, version, nameOf, showsTime, search, current, isFollowing, onFollowing, pick } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = box.current?.clientHeight || BOX_PX;

  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are what it follows
  useLayoutEffect(() => {
    const host = box.current;
    if (host && isFollowing) host.scrollTop = host.scrollHeight;
  }, [version, isFollowing, lines.length]);

  useLayoutEffect(() => {
    const host = box.current;
    if (host && current !== undefined) host.scrollTop = Math.max(0, current * LINE_PX - host.clientHeight / 2);
  }, [current]);

  const onScroll = () => {
    const host = box.current;
    if (!host) return;
    setTop(host.scrollTop);
    const isAtEnd = host.scrollHeight - host.scrollTop - host.clientHeight <= NEAR_PX;
    if (isAtEnd !== isFollowing && (isAtEnd || host.scrollTop < top)) onFollowing(isAtEnd);
  };
  const shownTop = isFollowing ? Math.max(0, lines.length * LINE_PX - height) : top;
  const first = Math.max(0, Math.floor(shownTop / LINE_PX) - MORE_LINES);
  const last = Math.min(lines.length, Math.ceil((shownTop + height) / LINE_PX) + MORE_LINES);
  return (
    <div
      ref={box}
      role="log"
      aria-live="off"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log must be scrollable by keyboard
      tabIndex={0}
      className={styles.box}
      onScroll={onScroll}
    >
      <div className={styles.all} style={{ height: lines.length * LINE_PX }}>
        {lines.slice(first, last).map((line, at) => {
          const index = first + at;
          const level = levelOf(line);
          return (
            <div
              key={index}
              className={classNames(styles.line, level && styles[level], index === current && styles.current)}
              style={{ top: index * LINE_PX }}
            >
              {pick && (
                <button
                  type="button"
                  className={styles.pick}
                  aria-label={pick.label(line)}
                  title={pick.label(line)}
                  onClick={() => pick.on(index)}
                >
                  <Icon of={CornerDownRight} size={14} />
                </button>
              )}
              {showsTime && <span className={styles.time}>{line.at.slice(11, 23)}</span>}
              <span className={styles.pod} data-colour={line.source % COLOURS}>
                {nameOf(line.source)}
              </span>
              <Marked text={line.text} search={search} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** As many as are told apart. */
export const COLOURS = 6;

function Marked({ text, search }: { text: string; search: string }) {
  if (search === '') return <span>{text}</span>;
  const found = text.toLowerCase();
  const parts: { text: string; isHit: boolean; from: number }[] = [];
  let from = 0;
  for (let at = found.indexOf(search); at !== -1 && parts.length < 200; at = found.indexOf(search, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), isHit: false, from });
    parts.push({ text: text.slice(at, at + search.length), isHit: true, from: at });
    from = at + search.length;
  }
  parts.push({ text: text.slice(from), isHit: false, from });
  return (
    <span>
      {parts.map((part) =>
        part.isHit ? <mark key={part.from}>{part.text}</mark> : <span key={part.from}>{part.text}</span>,
      )}
    </span>
  );
}
