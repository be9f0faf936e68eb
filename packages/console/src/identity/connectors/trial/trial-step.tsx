/** Third step: tries the draft with somebody's real account, and shows what was said, what gives which role, and who they would be. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { Button } from '@gatehouse/design/button';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Notice } from '@gatehouse/design/notice';
import FlaskConical from 'lucide-react/icons/flask-conical';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Problem } from '../../../shared/document-editor/read-document.ts';
import type { ConnectorDraft } from '../draft/use-connector-draft.ts';
import { MappingList } from '../form/mapping-list.tsx';
import { entriesIn, placeOf } from '../mapping.ts';
import type { PresetName } from '../presets.ts';
import { ClaimsPane } from './claims-pane.tsx';
import { EffectPane } from './effect-pane.tsx';
import { OutcomePane } from './outcome-pane.tsx';
import { SeenValues } from './seen-values.tsx';
import styles from './trial.module.css';
import { TrialStrip } from './trial-strip.tsx';
import { problemsOfTest } from './tried-text.ts';
import type { Trial } from './use-trial.tsx';

interface TrialStepProps {
  kind: ConnectorKind;
  preset: PresetName;
  draft: ConnectorDraft;
  problems: readonly Problem[];
  /** Who it is, for people. */
  provider: string;
  isNew: boolean;
  /** Why the gateway would not have it, for no field of it. */
  refusal: string | undefined;
  trial: Trial;
}

export function TrialStep({ kind, preset, draft, problems, provider, isNew, refusal, trial }: TrialStepProps) {
  const t = useTranslate();
  const { said } = trial;
  const toMend = problemsOfTest(kind, draft.value, problems);
  const isUntestable = !draft.isReadable || toMend.length > 0;
  const isOld = said !== undefined && trial.text !== draft.whole;
  const hasClaims = said !== undefined && Object.keys(said.claims).length > 0;
  const begin = (
    <Button
      tone={said && !isOld ? 'secondary' : 'primary'}
      icon={said ? RefreshCw : FlaskConical}
      loading={trial.isBeginning}
      disabled={isUntestable}
      {...(isUntestable ? { disabledReason: t('document.mend-first') } : {})}
      data-step-start=""
      // The same person again would be told the same.
      onClick={() => trial.begin(draft.whole, hasClaims && !isOld)}
    >
      {t(
        said === undefined
          ? 'connectors.test'
          : isOld || said.state === 'failed'
            ? 'connectors.test-again'
            : 'connectors.test-another',
      )}
    </Button>
  );
  return (
    <div className={styles.trial}>
      <div className={styles.bar}>
        {said ? (
          <TrialStrip said={said} />
        ) : (
          <p className={styles.muted}>{t('connectors.test-lead', { name: provider })}</p>
        )}
        <span className={styles.barEnd}>{begin}</span>
      </div>
      <div className={styles.notices}>
        {refusal !== undefined && <Notice tone="bad">{refusal}</Notice>}
        {trial.failure && trial.failure !== refusal && <Notice tone="bad">{trial.failure}</Notice>}
        {trial.url && said?.state === 'waiting' && (
          <Notice
            tone="warn"
            actions={
              <ButtonLink size="small" href={trial.url} target="_blank" rel="noopener noreferrer">
                {t('connectors.open-window')}
              </ButtonLink>
            }
          >
            {t('connectors.no-window')}
          </Notice>
        )}
        {trial.isBack && (
          <Notice
            tone="warn"
            actions={
              <Button size="small" loading={trial.isBeginning} onClick={() => trial.begin(draft.whole, false)}>
                {t('connectors.test-again')}
              </Button>
            }
          >
            {t('connectors.window-closed')}
          </Notice>
        )}
        {trial.lost !== undefined && said?.state !== 'passed' && said?.state !== 'failed' && (
          <Notice tone="bad">{failureWords(t, trial.lost)}</Notice>
        )}
        {isOld && said.state !== 'waiting' && (
          <Notice announce="none">{t(hasClaims ? 'connectors.test-old' : 'connectors.test-outdated')}</Notice>
        )}
        {isUntestable && (
          <Notice tone="warn" announce="none">
            {t('connectors.test-faulty', { count: Math.max(1, toMend.length) })}
          </Notice>
        )}
      </div>
      <div className={styles.panes}>
        <section className={styles.pane} aria-labelledby="trial-said">
          <ClaimsPane id="trial-said" kind={kind} said={said} draft={draft} title={provider} />
        </section>
        <section className={styles.pane} aria-labelledby="trial-roles">
          <header className={styles.paneHead}>
            <h2 id="trial-roles">{t('connectors.mapping')}</h2>
            {hasClaims && !isOld && (
              <span className={styles.faint}>
                {t('connectors.mapping-fit', {
                  fit: new Set(said.roles.map(({ entry }) => entry)).size,
                  count: entriesIn(kind, draft.value).length,
                })}
              </span>
            )}
          </header>
          <div className={styles.paneBody}>
            <MappingList
              kind={kind}
              preset={preset}
              draft={draft}
              problems={problems}
              isReadOnly={!draft.isReadable}
              {...(hasClaims
                ? {
                    heard: {
                      claims: said.claims,
                      // What the gateway said counts only for the text it was asked about.
                      given: isOld ? undefined : said.roles,
                      unmatched: isOld ? undefined : said.unmatched.map(placeOf),
                    },
                  }
                : {})}
              after={(add) => hasClaims && <SeenValues kind={kind} said={said} draft={draft} onAdd={add} />}
            />
          </div>
        </section>
        <section className={styles.pane} data-side="" aria-labelledby="trial-who">
          <OutcomePane id="trial-who" kind={kind} said={said} draft={draft} isOld={isOld} />
          <div className={styles.paneBody}>
            <h3 className={styles.subtitle}>{t('connectors.effect')}</h3>
            <EffectPane
              kind={kind}
              draft={draft}
              isFaulty={!draft.isReadable || problems.length > 0 || refusal !== undefined}
              isNew={isNew}
            />
          </div>
        </section>
      </div>
    </div>
  );
}
