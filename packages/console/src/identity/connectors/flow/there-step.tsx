/** First step: what to enter at the provider, ready to be copied, and where that is done there. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { textsAt } from '../../../shared/document-editor/read-document.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { entriesIn } from '../mapping.ts';
import type { PresetName } from '../presets.ts';
import { namedText } from '../start-text.ts';
import styles from './flow.module.css';
import { useEntered } from './use-check.ts';

interface ThereStepProps {
  kind: ConnectorKind;
  preset: PresetName;
  draft: Draft;
  title: string;
  isNew: boolean;
}

export function ThereStep({ kind, preset, draft, title, isNew }: ThereStepProps) {
  const t = useTranslate();
  const name = textsAt(draft.value, ['metadata', 'name'])[0] ?? '';
  const roles = entriesIn(kind, draft.value)[0]?.roles ?? ['access'];
  const entered = useEntered(kind, name === '' ? '' : namedText(kind, name, roles));
  return (
    <div className={styles.scroll}>
      <div className={styles.column}>
        {isNew && (
          <section className={styles.part}>
            <h2 className={styles.title}>{t('connectors.called')}</h2>
            <div className={styles.pair}>
              <TextField
                label={t('connectors.name')}
                hint={t('connectors.name-hint')}
                autoComplete="off"
                spellCheck={false}
                maxLength={128}
                mono
                disabled={!draft.isReadable}
                value={name}
                onValueChange={(next) => draft.setField(['metadata', 'name'], next)}
              />
              <TextField
                label={t('connectors.field-display')}
                hint={t('connectors.hint-display')}
                autoComplete="off"
                maxLength={128}
                disabled={!draft.isReadable}
                value={textsAt(draft.value, ['spec', 'display'])[0] ?? ''}
                onValueChange={(next) => draft.setField(['spec', 'display'], next || undefined)}
              />
            </div>
          </section>
        )}
        <section className={styles.part}>
          <h2 className={styles.title}>{t('connectors.there', { name: title })}</h2>
          <ol className={styles.todo}>
            <li className={styles.todoItem}>{t(`connectors.there-${preset}`)}</li>
            <li className={styles.todoItem}>
              {t('connectors.there-enter')}
              <div className={styles.entered} data-kind={kind}>
                {entered.isPending && <Spinner />}
                {entered.isError && <Notice tone="bad">{failureWords(t, entered.error)}</Notice>}
                {entered.data?.map(({ what, value }) => (
                  <div key={what} className={styles.enteredOne}>
                    <CopyField label={t(`connectors.enter-${what}`)} value={value} />
                    <p className={styles.muted}>{t(`connectors.enter-${what}-hint`)}</p>
                  </div>
                ))}
              </div>
            </li>
            <li className={styles.todoItem}>{t(`connectors.groups-${preset}`)}</li>
            <li className={styles.todoItem}>
              {t(kind === 'saml' ? 'connectors.there-saml-last' : 'connectors.there-client-last')}
            </li>
          </ol>
        </section>
      </div>
    </div>
  );
}
