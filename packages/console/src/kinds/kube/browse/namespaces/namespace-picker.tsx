/** Which namespaces are shown: those that are known, with a box each, and a field for another. */

import { buttonClass } from '@gatehouse/design/button';
import { Checkbox } from '@gatehouse/design/checkbox';
import { Icon } from '@gatehouse/design/icon';
import { Popover } from '@gatehouse/design/popover';
import { TextField } from '@gatehouse/design/text-field';
import { useKey } from '@gatehouse/design/use-key';
import ChevronDown from 'lucide-react/icons/chevron-down';
import Info from 'lucide-react/icons/info';
import { type KeyboardEvent, useState } from 'react';
import { usePreference } from '../../../../platform/browser/preferences.ts';
import { asSentence } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { MAX_NAMESPACES } from '../address.ts';
import styles from '../browse.module.css';
import type { Namespaces } from '../use-namespaces.ts';

/** More are found by typing. */
const MAX_BOXES = 200;

interface NamespacePickerProps {
  known: Namespaces | undefined;
  chosen: readonly string[];
  onChoose: (names: readonly string[]) => void;
}

export function NamespacePicker({ known, chosen, onChoose }: NamespacePickerProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [shortcuts] = usePreference('shortcuts');
  useKey(['n'], () => setOpen(true), shortcuts !== 'off');
  const names = [...new Set([...chosen, ...(known?.names ?? [])])].filter((name) => name.includes(typed.trim()));
  const isFull = chosen.length >= MAX_NAMESPACES;
  const toggle = (name: string, isOn: boolean) =>
    onChoose(isOn ? [...chosen, name] : chosen.filter((each) => each !== name));
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = typed.trim();
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || wanted === '') return;
    event.preventDefault();
    if (!isFull && !chosen.includes(wanted)) onChoose([...chosen, wanted]);
    setTyped('');
  };
  const title =
    chosen.length === 0
      ? t(known?.isAll === false ? 'kube-browse.ns-known' : 'kube-browse.ns-all')
      : chosen.length === 1
        ? chosen[0]
        : t('kube-browse.ns-chosen', { count: chosen.length });
  return (
    <Popover
      label={t('kube-browse.namespaces')}
      open={isOpen}
      onOpenChange={setOpen}
      className={styles.picker}
      trigger={
        <button type="button" className={buttonClass({})}>
          <span className={styles.muted}>{t('kube-browse.namespace')}</span> <b className={styles.chosen}>{title}</b>
          <Icon of={ChevronDown} size={14} />
        </button>
      }
    >
      <TextField
        label={t('kube-browse.ns-another')}
        labelHidden
        placeholder={t('kube-browse.ns-another')}
        mono
        value={typed}
        onValueChange={setTyped}
        onKeyDown={onKeyDown}
      />
      <ul className={styles.boxes}>
        {names.slice(0, MAX_BOXES).map((name) => (
          <li key={name}>
            <Checkbox
              label={<code>{name}</code>}
              checked={chosen.includes(name)}
              disabled={isFull && !chosen.includes(name)}
              onCheckedChange={(isOn) => toggle(name, isOn)}
            />
          </li>
        ))}
      </ul>
      {chosen.length > 0 && (
        <button type="button" className={buttonClass({ tone: 'ghost', size: 'small' })} onClick={() => onChoose([])}>
          {t('kube-browse.ns-clear')}
        </button>
      )}
      {known?.isAll === false && (
        <p className={styles.why}>
          <Icon of={Info} size={14} />
          <span>
            {t('kube-browse.ns-why')} {asSentence(known.why)}
          </span>
        </p>
      )}
    </Popover>
  );
}
