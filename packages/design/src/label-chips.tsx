/** Labels on one line: what does not fit becomes "+2", with the rest on hover. */

import { useLayoutEffect, useRef, useState } from 'react';
import styles from './label-chip.module.css';
import { LabelChip } from './label-chip.tsx';
import { Tooltip } from './tooltip.tsx';
import { useWords } from './words.tsx';

export interface Label {
  name: string;
  value: string;
}

export interface LabelChipsProps {
  labels: readonly Label[];
  isActive?: (label: Label) => boolean;
  /** Called with the label that was clicked, to filter by it. */
  onPick?: (label: Label) => void;
}

const GAP_PX = 4;
const MORE_PX = 32;
/** The row's own padding, which keeps focus rings from being cut. */
const PADDING_PX = 4;

/** How many chips of these widths fit; the last place is kept for "+n" unless all fit. */
export function countThatFit(widths: readonly number[], room: number): number {
  const all = widths.reduce((sum, width) => sum + width + GAP_PX, -GAP_PX);
  if (all <= room) return widths.length;
  let used = MORE_PX;
  let count = 0;
  for (const width of widths) {
    used += width + GAP_PX;
    if (used > room) break;
    count += 1;
  }
  return Math.max(1, count);
}

export function LabelChips({ labels, isActive, onPick }: LabelChipsProps) {
  const words = useWords();
  const row = useRef<HTMLDivElement>(null);
  const [measured, setMeasured] = useState<{ of: readonly Label[]; widths: number[]; fit: number }>();
  // New labels are drawn in full once, before the paint, to learn their widths.
  const known = measured?.of === labels ? measured : undefined;
  const shown = known ? labels.slice(0, known.fit) : labels;
  const rest = labels.slice(shown.length);

  useLayoutEffect(() => {
    const host = row.current;
    if (!host) return;
    const widths = known?.widths ?? Array.from(host.children, (chip) => chip.getBoundingClientRect().width);
    const fitNow = () => {
      // A row that is not laid out, as in a hidden tab, has no width to go by.
      const fit = host.clientWidth === 0 ? labels.length : countThatFit(widths, host.clientWidth - PADDING_PX);
      setMeasured((before) => (before?.of === labels && before.fit === fit ? before : { of: labels, widths, fit }));
    };
    fitNow();
    const observer = new ResizeObserver(fitNow);
    observer.observe(host);
    return () => observer.disconnect();
  }, [labels, known?.widths]);

  return (
    <div ref={row} className={styles.chips}>
      {shown.map((label) => (
        <LabelChip key={label.name} {...label} active={isActive?.(label)} onClick={onPick && (() => onPick(label))} />
      ))}
      {rest.length > 0 && (
        <Tooltip
          says="label"
          content={
            <span className={styles.rest}>
              {rest.map((label) => (
                <span key={label.name}>
                  {label.name}: {label.value}
                </span>
              ))}
            </span>
          }
        >
          <button
            type="button"
            className={styles.more}
            aria-label={`${words.more(rest.length)}: ${rest.map((label) => `${label.name}: ${label.value}`).join(', ')}`}
          >
            +{rest.length}
          </button>
        </Tooltip>
      )}
    </div>
  );
}
