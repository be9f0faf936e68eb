/** Every field in every state. */

import LayoutGrid from 'lucide-react/icons/layout-grid';
import Rows3 from 'lucide-react/icons/rows-3';
import { useState } from 'react';
import { Checkbox } from '../checkbox.tsx';
import { CopyField } from '../copy-field.tsx';
import { Divider } from '../divider.tsx';
import { RadioGroup } from '../radio-group.tsx';
import { SegmentedControl } from '../segmented-control.tsx';
import { Select } from '../select.tsx';
import { Switch } from '../switch.tsx';
import { TextArea } from '../text-area.tsx';
import { TextField } from '../text-field.tsx';
import { TokenInput } from '../token-input.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const HOURS = [
  { value: '1h', label: '1 hour' },
  { value: '4h', label: '4 hours' },
  { value: '8h', label: '8 hours' },
  { value: '7d', label: '7 days', disabled: true },
] as const;

export function InputsSection() {
  const [search, setSearch] = useState('');
  const [logins, setLogins] = useState(['deploy', 'ubuntu']);
  return (
    <Section
      id="inputs"
      title="Inputs"
      rule="The label is always above. An error says what to do and is not colour alone."
    >
      <div className={styles.three}>
        <TextField label="Rest" placeholder="payments-api" hint="Letters, digits and dashes." />
        <TextField label="Focus" defaultValue="payments-api" data-show="focus" />
        <TextField label="Disabled" placeholder="Set by your identity provider" disabled />
        <TextField label="Error" defaultValue="payments api" error="Use a dash instead of the space." />
        <TextField
          label="Error with focus"
          defaultValue="8 hourss"
          error="Write a time such as 8h or 30m."
          data-show="focus"
        />
        <Select label="Select" options={HOURS} defaultValue="4h" />
        <TokenInput label="Tokens" value={logins} onValueChange={setLogins} placeholder="Add" />
        <TextField
          type="search"
          label="Search"
          placeholder="Name, address or label"
          focusKey="/"
          value={search}
          onValueChange={setSearch}
          onClear={() => setSearch('')}
        />
        <CopyField label="Copy field" value="ssh deploy@payments-api-02" />
        <TextField type="password" label="Password" defaultValue="correct horse" autoComplete="off" />
        <TextField label="Busy" defaultValue="ledger-01" busy mono />
        <TextField label="Large, 40 px" size="large" defaultValue="maya" optional />
        <TextArea label="Text area" defaultValue="Production databases, on call" rows={2} />
        <TextArea label="Text area with an error" rows={2} error="Say what it is for." />
        <Select label="Select with an error" options={HOURS} placeholder="Choose" defaultValue="" error="Choose one." />
        <Select label="Select, disabled" options={HOURS} defaultValue="1h" disabled />
        <TokenInput label="Tokens, disabled" value={['root']} onValueChange={() => {}} disabled />
        <TextField
          label="Long value"
          mono
          defaultValue="very-long-name-of-a-server-that-does-not-fit.internal.example.com"
        />
      </div>
      <Choices />
    </Section>
  );
}

function Choices() {
  const [mode, setMode] = useState<'strict' | 'best-effort'>('strict');
  const [idle, setIdle] = useState(true);
  const [live, setLive] = useState(false);
  const [view, setView] = useState<'table' | 'cards'>('table');
  const [speed, setSpeed] = useState<'1×' | '2×' | '4×'>('2×');
  return (
    <>
      <div className={styles.row}>
        <Checkbox label="Off" />
        <Checkbox label="On" defaultChecked />
        <Checkbox label="Some" mixed />
        <Checkbox label="Disabled" disabled />
        <Checkbox label="Disabled, on" disabled defaultChecked />
        <Divider direction="vertical" />
        <Switch label="Live" checked={live} onCheckedChange={setLive} />
        <Switch label="Skip idle" checked={idle} onCheckedChange={setIdle} />
        <Switch label="Disabled" checked={false} disabled onCheckedChange={() => {}} />
        <Divider direction="vertical" />
        <SegmentedControl
          label="View"
          value={view}
          onValueChange={setView}
          segments={[
            { value: 'table', label: 'Table', icon: Rows3 },
            { value: 'cards', label: 'Cards', icon: LayoutGrid },
          ]}
        />
        <SegmentedControl
          label="Speed"
          size="small"
          value={speed}
          onValueChange={setSpeed}
          segments={(['1×', '2×', '4×'] as const).map((value) => ({ value, label: value }))}
        />
      </div>
      <div className={styles.three}>
        <RadioGroup
          label="Recording"
          value={mode}
          onValueChange={setMode}
          options={[
            { value: 'strict', label: 'Strict', hint: 'The session ends when it cannot be recorded.' },
            { value: 'best-effort', label: 'Best effort', hint: 'The session goes on without a recording.' },
          ]}
        />
        <RadioGroup
          label="Disabled"
          disabled
          value="strict"
          onValueChange={() => {}}
          direction="row"
          options={[
            { value: 'strict', label: 'Strict' },
            { value: 'off', label: 'Off' },
          ]}
        />
        <Checkbox label="Require a reason" hint="People write why before they connect." defaultChecked />
      </div>
    </>
  );
}
