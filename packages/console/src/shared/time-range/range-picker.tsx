/** Which time is looked at: one of the usual ones, or from and to. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { Popover } from '@gatehouse/design/popover';
import { TextField } from '@gatehouse/design/text-field';
import Calendar from 'lucide-react/icons/calendar';
import { type SubmitEvent, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { timeZone } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './range-picker.module.css';
import { isPreset, type Range } from './range-search-params.ts';
import { spanWords } from './span-words.ts';
import { presets, type Span } from './time-span.ts';

interface RangePickerProps {
  range: Range;
  /** What is shown now, to begin a range of one's own with. */
  span: Span;
  onPick: (range: Range) => void;
}

export function RangePicker({ range, span, onPick }: RangePickerProps) {
  const t = useTranslate();
  const { now } = useBrowser();
  const [isOpen, setOpen] = useState(false);
  const pick = (next: Range) => {
    setOpen(false);
    onPick(next);
  };
  const label = isPreset(range) ? t(`time-range.last-${range}`) : spanWords(t, range, now());
  return (
    <Popover
      label={t('time-range.time')}
      open={isOpen}
      onOpenChange={setOpen}
      className={styles.popover}
      trigger={
        <Button icon={Calendar} aria-label={t('time-range.shown', { range: label })}>
          {label}
        </Button>
      }
    >
      <div className={styles.presets}>
        {presets.map((preset) => (
          <Button
            key={preset}
            size="small"
            tone={preset === range ? 'secondary' : 'ghost'}
            aria-pressed={preset === range}
            onClick={() => pick(preset)}
          >
            {t(`time-range.last-${preset}`)}
          </Button>
        ))}
      </div>
      <OwnRange span={span} onPick={pick} />
    </Popover>
  );
}

function OwnRange({ span, onPick }: { span: Span; onPick: (span: Span) => void }) {
  const t = useTranslate();
  const [from, setFrom] = useState(fieldText(span.from));
  const [to, setTo] = useState(fieldText(span.to));
  const [isChecked, setChecked] = useState(false);
  const wanted = { from: Date.parse(from), to: Date.parse(to) };
  const isWrong = !(wanted.from < wanted.to);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!isWrong) onPick(wanted);
  };
  return (
    <form className={styles.own} onSubmit={submit} noValidate>
      <TextField type="datetime-local" step={1} label={t('time-range.from')} value={from} onValueChange={setFrom} />
      <TextField
        type="datetime-local"
        step={1}
        label={t('time-range.to')}
        value={to}
        onValueChange={setTo}
        error={isChecked && isWrong ? t('time-range.wrong') : undefined}
      />
      <p className={styles.zone}>{t('time-range.zone', { zone: timeZone() })}</p>
      <Button type="submit" wide>
        {t('time-range.apply')}
      </Button>
    </form>
  );
}

/** Local time, as the field writes it. */
function fieldText(time: number): string {
  return formatDateTime(time).replace(' ', 'T');
}
