/** Makes an application of a port of a service or pod, so that it can be opened in the browser, and kept. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { appName } from '@gatehouse/contract/kinds/app/app-spec';
import { type App, appRoutes, newApp } from '@gatehouse/contract/kinds/app/apps';
import { Button } from '@gatehouse/design/button';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useQueryClient } from '@tanstack/react-query';
import ExternalLink from 'lucide-react/icons/external-link';
import { type SubmitEvent, useId, useState } from 'react';
import { useApi } from '../../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { PathLink } from '../../../../platform/routing/routing.tsx';
import { LabelField } from '../../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../../shared/enrolment/label-pair.ts';
import { RESOURCES } from '../../../../shared/resource-list/use-paged-rows.ts';
import styles from '../browse.module.css';
import type { KnownKind } from '../kinds.ts';
import type { PodPort } from './object-parts.ts';

interface OpenPortDialogProps {
  clusterId: string;
  of: { cluster: string; kind: KnownKind; namespace: string; name: string };
  /** One at least. */
  ports: readonly PodPort[];
  onClose: () => void;
}

export function OpenPortDialog({ clusterId, of, ports, onClose }: OpenPortDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const formId = useId();
  const attempt = useAttempt();
  const [port, setPort] = useState(String(ports[0]?.port ?? ''));
  const [typed, setTyped] = useState(() => suggestedName(of.name));
  const [pairs, setPairs] = useState<readonly string[]>([]);
  const [isSent, setSent] = useState(false);
  const [added, setAdded] = useState<App>();
  const wrongName = !appName.safeParse(typed.trim()).success;
  const wrong = wrongPair(pairs);

  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (wrongName || wrong !== undefined) return;
    const short = of.kind.resource === 'services' ? 'svc' : 'pod';
    const uri = `kube://${of.cluster}/${of.namespace}/${short}/${of.name}:${port}`;
    await attempt.run(async () => {
      const body = newApp.parse({ name: typed.trim(), labels: labelsOf(pairs), uri });
      setAdded(await api(appRoutes.add, { params: { clusterId }, body }));
      await queries.invalidateQueries({ queryKey: [RESOURCES] });
    });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('kube-browse.port-title', { name: of.name })}
      footer={
        <>
          <Button onClick={onClose}>{t(added ? 'kube-browse.close' : 'kube-browse.cancel')}</Button>
          {added ? (
            <OpenApp app={added} />
          ) : (
            <Button type="submit" form={formId} tone="primary" loading={attempt.isBusy}>
              {t('kube-browse.port-add')}
            </Button>
          )}
        </>
      }
    >
      {added ? (
        <Notice tone="ok">
          {t('kube-browse.port-added', { app: added.name })}{' '}
          <PathLink className={styles.link} path={`${pagePath('apps', { clusterId })}?open=${added.name}`}>
            {t('kube-browse.port-show', { app: added.name })}
          </PathLink>
        </Notice>
      ) : (
        <form id={formId} className={styles.stack} onSubmit={(event) => void add(event)} noValidate>
          <p className={styles.muted}>{t('kube-browse.port-text')}</p>
          <Select
            label={t('kube-browse.port')}
            value={port}
            onValueChange={setPort}
            options={ports.map((each) => ({
              value: String(each.port),
              label: each.name === '' ? String(each.port) : `${each.port} ${each.name}`,
            }))}
          />
          <TextField
            label={t('kube-browse.app-name')}
            mono
            value={typed}
            onValueChange={setTyped}
            {...(isSent && wrongName ? { error: t('kube-browse.app-name-wrong') } : {})}
          />
          <LabelField hint={t('kube-browse.app-labels-hint')} pairs={pairs} wrong={wrong} onPairs={setPairs} />
          {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        </form>
      )}
    </Dialog>
  );
}

/** Nothing while the gateway has not said under which name it is served. */
function OpenApp({ app: { name, fqdn, clusterId, publicAddr } }: { app: App }) {
  const t = useTranslate();
  if (!fqdn || !clusterId || !publicAddr) return null;
  return (
    <ButtonLink
      tone="primary"
      icon={ExternalLink}
      target="_blank"
      rel="noopener"
      href={pagePath('launch', { fqdn, clusterId, publicAddr })}
    >
      {t('kube-browse.port-open', { app: name })}
    </ButtonLink>
  );
}

/** What may stand in a host name, of what the service or pod is called. */
function suggestedName(name: string): string {
  return name
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
}
