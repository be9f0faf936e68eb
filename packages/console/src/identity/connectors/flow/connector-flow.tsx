/** One connector from nothing to saved: what to enter over there, its settings, a test with the roles it gives, saving. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { Button } from '@gatehouse/design/button';
import { providerIcon } from '@gatehouse/design/provider-icon';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import { type ReactNode, useEffect, useState } from 'react';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { type Translate, useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import { useLeaveGuard } from '../../../platform/routing/leave-guard.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { ConflictDialog } from '../../../shared/document-editor/conflict-dialog.tsx';
import { DocumentScreen } from '../../../shared/document-editor/document-screen.tsx';
import { LeaveDialog } from '../../../shared/document-editor/leave-dialog.tsx';
import { textsAt } from '../../../shared/document-editor/read-document.ts';
import { STEPS, type Step } from '../connector-paths.ts';
import { titleOf, useConnectors } from '../connector-queries.ts';
import { useConnectorDraft } from '../draft/use-connector-draft.ts';
import { type PresetName, presetLike } from '../presets.ts';
import { startText } from '../start-text.ts';
import { TrialStep } from '../trial/trial-step.tsx';
import { useTrial } from '../trial/use-trial.tsx';
import styles from './flow.module.css';
import { FlowSteps } from './flow-steps.tsx';
import { SaveStep } from './save-step.tsx';
import { SettingsStep } from './settings-step.tsx';
import { markOf, NAME_PATH } from './step-marks.ts';
import { ThereStep } from './there-step.tsx';
import { useCheck, useEntered } from './use-check.ts';
import { useProblems } from './use-problems.ts';
import { useSaveConnector } from './use-save-connector.ts';
import { useSteps } from './use-steps.ts';

interface ConnectorFlowProps {
  kind: ConnectorKind;
  /** As it is saved now; nothing for one that is being made. */
  item?: ConnectorItem;
  preset?: PresetName;
  step: Step;
  onStep: (step: Step) => void;
  onBack: () => void;
  onSaved: (item: ConnectorItem) => void;
  /** Further actions in the header. */
  actions?: ReactNode;
}

export function ConnectorFlow({
  kind,
  item,
  preset,
  step: asked,
  onStep,
  onBack,
  onSaved,
  actions,
}: ConnectorFlowProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const mayEdit = item ? userAcl.authConnectors.edit : userAcl.authConnectors.create;
  const [start] = useState(() => startText(preset ?? kind, t('connectors.first-entry')));
  const draft = useConnectorDraft(kind, item, start);
  // Whoever may only read sees the settings, and nothing that would ask a provider.
  const step = mayEdit ? asked : 'settings';
  const { furthest, place, goToStart } = useSteps(step);
  // What only the provider can tell is entered after the first step: until then there is nothing to find fault with.
  const isBegun = item !== undefined || furthest > 0;
  const check = useCheck(kind, draft.whole, mayEdit && draft.isReadable && isBegun);
  const name = textsAt(draft.value, ['metadata', 'name'])[0] ?? '';
  const entered = useEntered(kind, draft.value, mayEdit && (item === undefined || step === 'there'));
  const others = useConnectors().data;
  const isNew = item === undefined;
  const isTaken = isNew && others?.some((other) => other.name === name) === true;
  const isNameless = isNew && name === '';
  const misnamed = isTaken
    ? t('connectors.name-taken', { name })
    : isNameless && isBegun
      ? t('connectors.name-missing')
      : undefined;
  const problems = useProblems(kind, {
    draft,
    check,
    entered,
    misnamed,
    hasSecret: item?.hasSecret === true,
    isBegun,
  });
  // The addresses to enter over there are made of the name: whoever goes on with a wrong one has entered wrong ones.
  const isHeld =
    isNew &&
    step === 'there' &&
    draft.isReadable &&
    (isNameless || entered.isAsking || problems.some(({ path }) => path === NAME_PATH));
  const [wasHeld, setHeld] = useState(false);
  const goTo = (to: Step) => {
    if (!isHeld || to === step) return onStep(to);
    setHeld(true);
    goToStart();
  };
  const refusal = check.failure ? failureWords(t, check.failure) : undefined;
  const trial = useTrial(kind);
  const [isComparing, setComparing] = useState(false);
  // A new one counts as written from its first change on.
  const leaving = useLeaveGuard(mayEdit && draft.isChanged);
  const isOvertaken = item !== undefined && draft.base !== undefined && item.revision !== draft.base.revision;
  const display = textsAt(draft.value, ['spec', 'display'])[0];
  const icon = textsAt(draft.value, ['spec', 'icon'])[0];
  const title = titleOf({ name, ...(display ? { display } : {}) });
  // A name that nobody has changed says nothing about who it is.
  const provider = display || t('connectors.your-provider');
  const like = preset ?? presetLike(kind, icon, textsAt(draft.value, ['spec', 'issuer_url'])[0]);

  // Without changes of one's own, the newer version simply takes the old one's place.
  const { rebase } = draft;
  useEffect(() => {
    if (isOvertaken && !draft.isChanged && item) rebase(item, item.content);
  });

  const saving = useSaveConnector({
    kind,
    name: item?.name,
    title,
    draft,
    onSaved(saved) {
      draft.settle(saved);
      // A new one goes on at an address of its own.
      if (!item) leaving.letGo();
      onSaved(saved);
    },
    onConflict: () => setComparing(true),
  });
  const reasonNot = whyNot(t, { isFaulty: problems.length > 0, isOvertaken, isChanged: draft.isChanged || !item });

  const at = STEPS.indexOf(step);
  const before = STEPS[at - 1];
  const next = STEPS[at + 1];
  const shared = { kind, preset: like, draft, problems, provider, isNew, refusal };
  const standing = { step, furthest, isNew, problems, test: trial.said?.state };
  const isPassed = (of: Step) => STEPS.indexOf(of) < furthest;
  return (
    <DocumentScreen
      back={{ label: t('connectors.all'), onBack }}
      icon={providerIcon({ name, displayName: display, type: kind, icon })}
      title={item ? title : t('connectors.new', { name: title })}
      unsaved={item ? draft.changes : 0}
      isReadOnly={!mayEdit}
      overtaken={
        isOvertaken && draft.isChanged
          ? { title: t('connectors.overtaken'), onSeeBoth: () => setComparing(true) }
          : undefined
      }
      tools={
        <>
          {mayEdit && <FlowSteps markOf={(of) => markOf(of, standing)} onStep={goTo} />}
          {actions && <span className={styles.actions}>{actions}</span>}
        </>
      }
    >
      <div ref={place} className={styles.stepBody}>
        {step === 'there' && (
          <ThereStep {...shared} name={name} entered={entered} isPassed={wasHeld || isPassed('there')} />
        )}
        {step === 'settings' && (
          <SettingsStep
            {...shared}
            hasSecret={item?.hasSecret === true}
            mayEdit={mayEdit}
            isPassed={isPassed('settings')}
          />
        )}
        {step === 'test' && <TrialStep {...shared} trial={trial} />}
        {step === 'save' && <SaveStep {...shared} notes={check.notes} refused={saving.failure} />}
      </div>
      {mayEdit && (
        <footer className={styles.footer}>
          {before && (
            <Button tone="ghost" icon={ChevronLeft} onClick={() => goTo(before)}>
              {t(`connectors.step-${before}`)}
            </Button>
          )}
          <span className={styles.footerEnd}>
            {next && (
              <Button
                tone={step === 'test' && !trial.said ? 'secondary' : 'primary'}
                disabled={isHeld}
                {...(isHeld ? { disabledReason: t('connectors.mend-name') } : {})}
                onClick={() => goTo(next)}
              >
                {t(TO_NEXT[next])}
              </Button>
            )}
            {step === 'save' && (
              <Button
                tone="primary"
                loading={saving.isBusy}
                disabled={reasonNot !== undefined}
                {...(reasonNot ? { disabledReason: reasonNot } : {})}
                onClick={() => void saving.save()}
              >
                {t('connectors.save')}
              </Button>
            )}
          </span>
        </footer>
      )}
      {isComparing && item && (
        <ConflictDialog draft={draft} name={item.name} theirs={item} onClose={() => setComparing(false)} />
      )}
      {leaving.asks && <LeaveDialog onStay={leaving.stay} onLeave={leaving.leave} />}
      {saving.question}
    </DocumentScreen>
  );
}

const TO_NEXT = {
  there: 'connectors.step-there',
  settings: 'connectors.to-settings',
  test: 'connectors.to-test',
  save: 'connectors.to-save',
} as const satisfies Record<Step, WordId>;

interface Readiness {
  isFaulty: boolean;
  isOvertaken: boolean;
  isChanged: boolean;
}

/** Nothing where it can be saved. */
function whyNot(t: Translate, { isFaulty, isOvertaken, isChanged }: Readiness): string | undefined {
  if (isFaulty) return t('document.mend-first');
  if (isOvertaken) return t('connectors.overtaken');
  return isChanged ? undefined : t('document.nothing-changed');
}
