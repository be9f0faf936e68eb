/** Headers that every request to the application carries, with names and traits of whoever asks. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { TextField } from '@gatehouse/design/text-field';
import Plus from 'lucide-react/icons/plus';
import X from 'lucide-react/icons/x';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { HeaderDraft } from './app-draft.ts';
import styles from './app-form.module.css';

const MAX_RULES = 64;

import type { AppFieldsProps } from './use-app-form.ts';

export function HeaderRules({ draft, onDraft, faults, onLeave }: AppFieldsProps) {
  const t = useTranslate();
  const { headers } = draft;
  const set = (key: number, change: Partial<HeaderDraft>) =>
    onDraft({ headers: headers.map((rule) => (rule.key === key ? { ...rule, ...change } : rule)) });
  const add = () => {
    const key = Math.max(-1, ...headers.map((rule) => rule.key)) + 1;
    onDraft({ headers: [...headers, { key, name: '', value: '' }] });
  };
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  return (
    <fieldset className={styles.rules}>
      <legend className={styles.legend}>{t('app-form.headers')}</legend>
      <p className={styles.lead}>{t('app-form.headers-hint')}</p>
      {headers.map(({ key, name, value, kept }, index) => (
        <div key={key} className={styles.rule}>
          <TextField
            label={t('app-form.header-name', { number: index + 1 })}
            labelHidden
            placeholder="X-WEBAUTH-USER"
            mono
            value={name}
            error={fault(`header-${index}-name`)}
            onValueChange={(next) => set(key, { name: next })}
            onBlur={() => onLeave(`header-${index}-name`)}
          />
          <TextField
            label={t('app-form.header-value', { number: index + 1 })}
            labelHidden
            placeholder={kept !== undefined && kept === name.trim() ? t('app-form.kept') : '{{internal.username}}'}
            mono
            value={value}
            error={fault(`header-${index}-value`)}
            onValueChange={(next) => set(key, { value: next })}
            onBlur={() => onLeave(`header-${index}-value`)}
          />
          <IconButton
            icon={X}
            label={t('app-form.header-remove', { number: index + 1 })}
            onClick={() => onDraft({ headers: headers.filter((rule) => rule.key !== key) })}
          />
        </div>
      ))}
      {headers.length < MAX_RULES && (
        <div>
          <Button size="small" icon={Plus} onClick={add}>
            {t('app-form.header-add')}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
