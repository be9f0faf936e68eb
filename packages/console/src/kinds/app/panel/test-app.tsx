/** Tries an application the way opening it would, step by step. */
import { appKind } from '@gatehouse/contract/kinds/app/app-kind';
import type { AppDetails } from '@gatehouse/contract/kinds/app/apps';
import AppWindow from 'lucide-react/icons/app-window';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ConnectionTest } from '../../../shared/connection-steps/connection-test.tsx';
import { schemeOf } from '../form/app-draft.ts';
import { isOnTheWay } from '../form/test-app-draft.tsx';

interface TestAppProps {
  clusterId: string;
  details: AppDetails;
}

export function TestApp({ clusterId, details: { app, uri, through } }: TestAppProps) {
  const t = useTranslate();
  const { name } = app;
  const steps = appKind.testSteps.filter((step) => isOnTheWay(step, schemeOf({ uri, scheme: 'http' })));
  return (
    <ConnectionTest
      clusterId={clusterId}
      steps={steps.map((step) => ({ step, title: t(`app-panel.step-${step}`) }))}
      lead={t('app-panel.test-lead')}
      wanted={() => ({ asked: { resource_kind: 'app', resource_name: name }, factor: { app: { name } } })}
      fields="none"
      target={{ name, at: uri, icon: AppWindow, agent: through[0] }}
    />
  );
}
