/** Tries each hop to an application while its address is being typed. */
import { APP_CHECK_STEPS, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { CheckHops as CheckWay } from '../../../shared/way-there/check-hops.tsx';
import { type AppDraft, checkDraft, schemeOf } from './app-draft.ts';

type StepName = (typeof APP_CHECK_STEPS)[number];

export function CheckHops({ clusterId, draft }: { clusterId: string; draft: AppDraft }) {
  const t = useTranslate();
  const api = useApi();
  return (
    <CheckWay
      of={['app', clusterId]}
      wanted={wantedOf(draft)}
      hops={stepsOf(draft).map((step) => ({ step, title: t(`app-form.step-${step}`) }))}
      check={(body, signal) => api(appRoutes.check, { params: { clusterId }, body }, signal)}
    />
  );
}

/** What would be dialled; nothing while it is not an address, or where there is nothing to dial. */
function wantedOf(draft: AppDraft) {
  const { app } = checkDraft({ ...draft, name: 'x', publicAddr: '', labels: [], headers: [], redirect: [] });
  if (!app || schemeOf(app.uri) === 'cloud') return undefined;
  const { uri, insecureSkipVerify, ca, serverName, through } = app;
  return { uri, insecureSkipVerify, ca, serverName, through };
}

/** Only those on this way: an agent where one dials, TLS where there is TLS. */
function stepsOf({ uri, through }: AppDraft): readonly StepName[] {
  const scheme = schemeOf(uri);
  return APP_CHECK_STEPS.filter((step) => {
    if (step === 'agent') return through.length > 0;
    if (step === 'tls') return scheme === 'https';
    return step !== 'http' || scheme !== 'tcp';
  });
}
