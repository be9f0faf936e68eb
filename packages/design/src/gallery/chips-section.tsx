/** Chips, badges, states, people and keys. */

import BadgeCheck from 'lucide-react/icons/badge-check';
import { useState } from 'react';
import { Avatar } from '../avatar.tsx';
import { Badge } from '../badge.tsx';
import { Button } from '../button.tsx';
import { Divider } from '../divider.tsx';
import { KeyCap, KeyCaps } from '../key-cap.tsx';
import { KeyHints } from '../key-hints.tsx';
import { LabelChip } from '../label-chip.tsx';
import { type Label, LabelChips } from '../label-chips.tsx';
import { StatusDot } from '../status-dot.tsx';
import { Tooltip } from '../tooltip.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const LABELS: readonly Label[] = [
  { name: 'env', value: 'prod' },
  { name: 'role', value: 'payments' },
  { name: 'region', value: 'eu-west-1' },
  { name: 'tier', value: 'restricted' },
  { name: 'queue', value: 'settlements' },
];

export function ChipsSection() {
  const [picked, setPicked] = useState('region');
  return (
    <Section id="chips" title="Chips, badges, status" rule="Shape and word carry the meaning; colour repeats it.">
      <div className={styles.row}>
        <LabelChip name="env" value="prod" />
        <LabelChip name="role" value="payments" onClick={() => {}} />
        <LabelChip name="region" value="eu-west-1" active onClick={() => {}} />
        <LabelChip name="env" value="prod" active onRemove={() => {}} />
        <LabelChip value="deploy" onRemove={() => {}} />
        <Divider direction="vertical" />
        <div className={styles.chipsNarrow}>
          <LabelChips
            labels={LABELS}
            isActive={(label) => label.name === picked}
            onPick={(label) => setPicked(label.name)}
          />
        </div>
      </div>
      <div className={styles.row}>
        <Badge>Draft</Badge>
        <Badge tone="brand">You</Badge>
        <Badge tone="ok" icon={BadgeCheck}>
          Chain verified
        </Badge>
        <Badge tone="warn">3 unsaved changes</Badge>
        <Badge tone="bad">Denied</Badge>
        <Badge tone="info">Recording</Badge>
        <Divider direction="vertical" />
        <StatusDot state="ok">Online</StatusDot>
        <StatusDot state="warn">Draining</StatusDot>
        <StatusDot state="bad">Unreachable</StatusDot>
        <StatusDot state="off">Never seen</StatusDot>
        <StatusDot state="busy">Reconnecting</StatusDot>
      </div>
      <div className={styles.row}>
        <Avatar name="Maya Okafor" self labelled />
        <Avatar name="kenji" labelled />
        <Avatar name="Inês Rocha" labelled />
        <Avatar name="Maya Okafor" size="medium" self labelled />
        <Divider direction="vertical" />
        <KeyCap>/</KeyCap>
        <KeyCaps keys={['⌘', 'K']} />
        <span className={styles.faint}>
          <KeyHints
            hints={[
              { keys: ['J', 'K'], word: 'move' },
              { keys: ['↵'], word: 'connect' },
            ]}
          />
        </span>
        <Divider direction="vertical" />
        <Tooltip content="10.20.6.12:22, copied on click">
          <Button size="small">Point at me</Button>
        </Tooltip>
      </div>
    </Section>
  );
}
