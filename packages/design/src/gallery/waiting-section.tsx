/** Spinners, skeletons and progress. */

import X from 'lucide-react/icons/x';
import { useState } from 'react';
import { Button } from '../button.tsx';
import { IconButton } from '../icon-button.tsx';
import { Progress } from '../progress.tsx';
import { Skeleton } from '../skeleton.tsx';
import { Spinner } from '../spinner.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

export function WaitingSection() {
  const [turn, setTurn] = useState(0);
  return (
    <Section
      id="wait"
      title="Waiting"
      rule="Spinner after 0, 400 or 600 ms. A skeleton has the shape of what comes. Long work says what, how much, how long."
    >
      <div className={styles.row}>
        <Spinner size="small" delay="none" />
        <Spinner delay="none" />
        <Spinner size="large" delay="none" />
        <span className={styles.faint}>12, 16, 28</span>
        <Button size="small" onClick={() => setTurn(turn + 1)}>
          Start again
        </Button>
        <Spinner key={`short ${turn}`} delay="short" label="Loading after 400 ms" />
        <Spinner key={`long ${turn}`} delay="long" label="Loading after 600 ms" />
        <span className={styles.faint}>after 400 and 600 ms</span>
      </div>
      <div className={styles.three}>
        <Progress
          label="heap-1187.hprof"
          value={0.42}
          detail="42 %, 2 min 41 s left"
          action={<IconButton icon={X} size="small" label="Cancel" />}
        />
        <Progress label="Checking the chain" detail="how long is unknown" />
        <Progress label="backup.tar.zst" value={1} tone="ok" detail="done in 12 s" />
        <Progress label="core.4411" value={0.63} tone="bad" detail="stopped at 63 %" />
        <div className={styles.stack}>
          <Skeleton width={160} height={14} />
          <Skeleton />
          <Skeleton width="70%" />
        </div>
      </div>
    </Section>
  );
}
