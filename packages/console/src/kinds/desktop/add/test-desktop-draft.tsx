/** Tries the way to a desktop as the form has it, before it is saved: what it speaks, and the certificate it shows. */
import { desktopKind } from '@gatehouse/contract/kinds/desktop/desktop-kind';
import Monitor from 'lucide-react/icons/monitor';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DraftTest } from '../../../shared/connection-steps/draft-test.tsx';
import { addressOf, type DesktopDraft, desktopOf, faultsOf } from './desktop-draft.ts';

interface TestDesktopDraftProps {
  clusterId: string;
  draft: DesktopDraft;
  /** Somebody has compared the certificate that it showed. */
  onTaken: (pin: string) => void;
}

/** The panel of one that is there calls them so as well. */
const TITLES = {
  reach: 'desktop-panel.step-reach',
  tcp: 'desktop-panel.step-tcp',
  protocol: 'desktop-panel.step-offers',
  tls: 'desktop-panel.step-tls',
  login: 'desktop-panel.step-login',
} as const satisfies Record<(typeof desktopKind.draftSteps)[number], string>;

/** The form asks for nobody's password: whoever connects types it, and the panel tries it. */
const TRIED = desktopKind.draftSteps.filter((step) => step !== 'login');

export function TestDesktopDraft({ clusterId, draft, onTaken }: TestDesktopDraftProps) {
  const t = useTranslate();
  const [agent] = draft.through;
  return (
    <DraftTest
      clusterId={clusterId}
      steps={TRIED.map((step) => ({ step, title: t(TITLES[step]) }))}
      wanted={wantedOf(draft)}
      target={{ name: draft.name.trim(), at: addressOf(draft), icon: Monitor, agent }}
      toTake={{ text: t('add-desktop.fetched-compare'), word: t('add-desktop.fetched-take'), onTake: onTaken }}
    />
  );
}

/** Nothing while it is not an address. A certificate that is not there yet is shown by the test. */
function wantedOf(draft: DesktopDraft) {
  const faults = faultsOf(draft);
  if (faults.addr !== undefined || faults.domain !== undefined) return undefined;
  const known = faults.certificate === undefined ? {} : { known: 'later' as const };
  const labels = faults.labels === undefined ? {} : { pairs: [] };
  const { name, through, ...fields } = desktopOf({ ...draft, ...known, ...labels });
  const spec = { ...fields, ...(faults.name === undefined ? { name } : {}) };
  return { kind: 'windows_desktop', spec, ...(through ? { through } : {}) };
}
