/** One connector: a new one of some kind, or one that is there, gone through step by step. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { CONNECTOR_KINDS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem } from '@gatehouse/design/menu';
import { Spinner } from '@gatehouse/design/spinner';
import { StatusCard } from '@gatehouse/design/status-card';
import Ellipsis from 'lucide-react/icons/ellipsis';
import Trash2 from 'lucide-react/icons/trash-2';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type SearchTexts, useFollow, usePageParams, useSearch } from '../../platform/routing/routing.tsx';
import type { ScreenProps } from '../../platform/routing/screen.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { connectorsPath, STEPS, type Step } from './connector-paths.ts';
import { titleOf, useConnectors } from './connector-queries.ts';
import styles from './connectors.module.css';
import { DeleteConnectorDialog } from './delete-connector-dialog.tsx';
import { presetOf } from './presets.ts';

/** The editor and the reader of YAML come with the first connector that is opened. */
const ConnectorFlow = lazyPart(() => import('./flow/connector-flow.tsx').then((file) => file.ConnectorFlow));

export function ConnectorScreen({ page }: ScreenProps) {
  return page === 'newConnector' ? <NewConnector /> : <KnownConnector />;
}

function NewConnector() {
  const follow = useFollow();
  const kind = kindOf(usePageParams('newConnector').kind);
  const [{ step = 'there', preset }, set] = useSearch(parseFlow);
  if (!kind) return <Unknown />;
  return (
    <Suspense fallback={<Waiting />}>
      <ConnectorFlow
        key={`${kind} ${preset}`}
        kind={kind}
        preset={presetOf(kind, preset)}
        step={step}
        onStep={(next) => void set({ tab: next }, 'push')}
        onBack={() => follow(pagePath('connectors'))}
        onSaved={(item) => follow(connectorsPath(item))}
      />
    </Suspense>
  );
}

function KnownConnector() {
  const t = useTranslate();
  const follow = useFollow();
  const { remove } = useUser().userAcl.authConnectors;
  const params = usePageParams('connector');
  const [{ step = 'settings' }, set] = useSearch(parseFlow);
  const connectors = useConnectors();
  const [isDeleting, setDeleting] = useState(false);
  if (connectors.isError && !connectors.data) throw connectors.error;
  if (!connectors.data) return <Waiting />;
  const item = connectors.data.find(({ kind, name }) => kind === params.kind && name === params.name);
  const back = () => follow(pagePath('connectors'));
  if (!item) return <Unknown name={params.name} />;
  return (
    <Suspense fallback={<Waiting />}>
      <ConnectorFlow
        key={item.id}
        kind={item.kind}
        item={item}
        step={step}
        onStep={(next) => void set({ tab: next === 'settings' ? undefined : next }, 'push')}
        onBack={back}
        onSaved={() => {}}
        actions={
          remove && (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('connectors.actions', { name: titleOf(item) })} />}>
              <MenuItem icon={Trash2} tone="danger" onSelect={() => setDeleting(true)}>
                {t('connectors.delete')}
              </MenuItem>
            </Menu>
          )
        }
      />
      {isDeleting && <DeleteConnectorDialog item={item} onClose={() => setDeleting(false)} onDone={back} />}
    </Suspense>
  );
}

function Waiting() {
  return (
    <div className={styles.waiting}>
      <Spinner size="large" />
    </div>
  );
}

function Unknown({ name }: { name?: string }) {
  const t = useTranslate();
  const follow = useFollow();
  return (
    <div className={styles.waiting}>
      <StatusCard
        title={name === undefined ? t('connectors.unknown-kind') : t('connectors.unknown', { name })}
        actions={<Button onClick={() => follow(pagePath('connectors'))}>{t('connectors.all')}</Button>}
      >
        {t('connectors.unknown-text')}
      </StatusCard>
    </div>
  );
}

function kindOf(given: string | undefined): ConnectorKind | undefined {
  return CONNECTOR_KINDS.find((kind) => kind === given);
}

function parseFlow(texts: SearchTexts): { step: Step | undefined; preset: string | undefined } {
  return { step: STEPS.find((step) => step === texts.tab), preset: texts.preset || undefined };
}
