/** Tries the way to an application as the form has it, before it is saved. */
import { appKind } from '@gatehouse/contract/kinds/app/app-kind';
import { appName } from '@gatehouse/contract/kinds/app/app-spec';
import AppWindow from 'lucide-react/icons/app-window';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DraftTest } from '../../../shared/connection-steps/draft-test.tsx';
import { wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { type AppDraft, checkDraft, schemeOf } from './app-draft.ts';

interface TestAppDraftProps {
  clusterId: string;
  draft: AppDraft;
}

/** Nothing for a console of a cloud, which nobody dials. */
export function TestAppDraft({ clusterId, draft }: TestAppDraftProps) {
  const t = useTranslate();
  const scheme = schemeOf(draft);
  if (scheme === 'cloud') return null;
  const [agent] = draft.through;
  const steps = appKind.draftSteps.filter((step) => isOnTheWay(step, scheme));
  return (
    <DraftTest
      clusterId={clusterId}
      steps={steps.map((step) => ({ step, title: t(`app-panel.step-${step}`) }))}
      wanted={wantedOf(draft)}
      target={{ name: draft.name.trim(), at: draft.uri.trim(), icon: AppWindow, agent }}
    />
  );
}

/** TLS where there is TLS, and what it answers where HTTP is spoken. */
export function isOnTheWay(step: string, scheme: ReturnType<typeof schemeOf>): boolean {
  if (step === 'tls') return scheme === 'https';
  return step !== 'protocol' || scheme !== 'tcp';
}

/** Nothing while it is not an address. What else is not written yet need not be right. */
function wantedOf(draft: AppDraft) {
  const name = draft.name.trim();
  const labels = wrongPair(draft.labels) === undefined ? draft.labels : [];
  const { wanted: app } = checkDraft({ ...draft, name: 'x', publicAddr: '', labels, headers: [], redirect: [] });
  if (!app) return undefined;
  const { uri, insecureSkipVerify, ca, serverName, through } = app;
  const named = appName.safeParse(name).success ? { name } : {};
  const spec = { ...named, uri, insecureSkipVerify, ca, serverName, labels: app.labels };
  return { kind: 'app', spec, ...(through[0] === undefined ? {} : { through: through[0] }) };
}
