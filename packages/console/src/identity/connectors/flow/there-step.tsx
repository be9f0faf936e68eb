/** First step: what to enter at the provider, ready to be copied, and where that is done there. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import { type Problem, textsAt } from '../../../shared/document-editor/read-document.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { problemAt } from '../form/problem-at.ts';
import type { PresetName } from '../presets.ts';
import styles from './flow.module.css';
import { NAME_PATH } from './step-marks.ts';
import type { Entered } from './use-check.ts';

interface ThereStepProps {
  kind: ConnectorKind;
  preset: PresetName;
  draft: Draft;
  problems: readonly Problem[];
  name: string;
  /** Who it is, for people. */
  provider: string;
  isNew: boolean;
  entered: Entered;
  /** Somebody has gone on from here before, or tried to. */
  isPassed: boolean;
}

export function ThereStep({ kind, preset, draft, problems, name, provider, isNew, entered, isPassed }: ThereStepProps) {
  const t = useTranslate();
  const [wasLeft, setLeft] = useState(false);
  const misnamed = problems.find(({ path }) => path === NAME_PATH);
  const isNameWrong = name === '' || misnamed !== undefined;
  const nameError = () => {
    if (name === '') return wasLeft || isPassed ? t('connectors.name-missing') : undefined;
    return misnamed && asSentence(misnamed.message);
  };
  return (
    <div className={styles.scroll}>
      <div className={styles.column}>
        {isNew && (
          <section className={styles.part}>
            <h2 className={styles.title}>{t('connectors.called')}</h2>
            <div className={styles.pair}>
              <TextField
                data-step-start=""
                label={t('connectors.name')}
                hint={t('connectors.name-hint')}
                error={nameError()}
                onBlur={() => setLeft(true)}
                maxLength={128}
                mono
                disabled={!draft.isReadable}
                value={name}
                onValueChange={(next) => draft.setField(['metadata', 'name'], next)}
              />
              <TextField
                label={t('connectors.field-display')}
                hint={t('connectors.hint-display')}
                error={problemAt(problems, 'spec.display')}
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
          <h2 className={styles.title} {...(isNew ? {} : { tabIndex: -1, 'data-step-start': '' })}>
            {t('connectors.there', { name: provider })}
          </h2>
          <ol className={styles.todo}>
            <li className={styles.todoItem}>{t(`connectors.there-${preset}`)}</li>
            <li className={styles.todoItem}>
              {t('connectors.there-enter')}
              <div className={styles.entered} data-kind={kind}>
                {entered.isAsking && !isNameWrong && <Spinner />}
                {isNameWrong && <p className={styles.muted}>{t('connectors.enter-name-first')}</p>}
                {entered.error !== undefined && !isNameWrong && (
                  <Notice tone="bad">{failureWords(t, entered.error)}</Notice>
                )}
                {!isNameWrong &&
                  entered.addresses?.map(({ what, value }) => (
                    <div key={what} className={styles.enteredOne}>
                      <CopyField label={t(`connectors.enter-${what}`)} value={value} />
                      <p className={styles.muted}>{t(hintOf(kind, what))}</p>
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

function hintOf(kind: ConnectorKind, what: NonNullable<Entered['addresses']>[number]['what']): WordId {
  return kind === 'saml' && what === 'callback' ? 'connectors.enter-acs-hint' : `connectors.enter-${what}-hint`;
}
