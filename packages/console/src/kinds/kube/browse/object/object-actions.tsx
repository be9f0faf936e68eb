/** What can be done to an object beside changing its text: more or fewer of it, new pods for it, looking into it, removing it. */
import type { KubeRef } from '@gatehouse/contract/kinds/kube/browse';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem } from '@gatehouse/design/menu';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import Bug from 'lucide-react/icons/bug';
import Ellipsis from 'lucide-react/icons/ellipsis';
import ExternalLink from 'lucide-react/icons/external-link';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import Scaling from 'lucide-react/icons/scaling';
import Trash2 from 'lucide-react/icons/trash-2';
import { type ReactNode, useState } from 'react';
import { useBrowser } from '../../../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { useUser } from '../../../../platform/sign-in/user.ts';
import type { ObjectAt, UsedAddress } from '../address.ts';
import styles from '../browse.module.css';
import { useBrowse } from '../browse.ts';
import type { KnownKind } from '../kinds.ts';
import { FailureWords } from '../lists/list-problems.tsx';
import type { KubeObject } from '../read-object.ts';
import { DebugDialog } from './debug-dialog.tsx';
import { hasShell, isRestartable, isScalable, portsOf } from './object-parts.ts';
import { OpenPortDialog } from './open-port-dialog.tsx';
import { useAskAttempt } from './use-ask-attempt.ts';

type Change = 'scale' | 'restart' | 'remove';
type Doing = Change | 'debug' | 'port';

interface ObjectActionsProps {
  kind: KnownKind;
  target: KubeRef;
  object: KubeObject;
  at: ObjectAt;
  used: UsedAddress;
  onGone: () => void;
}

export function ObjectActions({ kind, target, object, at, used, onGone }: ObjectActionsProps) {
  const { userAcl } = useUser();
  const ports = userAcl.appServers.create ? portsOf(kind, object.facts) : [];
  const t = useTranslate();
  const browse = useBrowse();
  const toast = useToast();
  const { now } = useBrowser();
  const [doing, setDoing] = useState<Doing>();
  const { name } = target;
  const { uid } = object.facts.metadata;
  const patch = (body: object, subresource: '' | 'scale') =>
    browse.ask({ type: 'patch', ...target, subresource, body: JSON.stringify(body), dryRun: false }, 'written');
  const restart = () => {
    // As kubectl writes it, so that one sees which of them it was last.
    const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date(now()).toISOString() };
    return patch({ spec: { template: { metadata: { annotations } } } }, '');
  };
  const remove = async () => {
    await browse.ask({ type: 'remove', ...target, uid }, 'done');
    onGone();
  };
  const done = () => {
    if (doing === 'scale' || doing === 'restart' || doing === 'remove')
      toast.show({ tone: 'ok', title: t(`kube-browse.did-${doing}`, { name }) });
    setDoing(undefined);
  };
  const close = () => setDoing(undefined);
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={t('kube-browse.more-actions')} />}>
        {isScalable(kind) && (
          <MenuItem icon={Scaling} onSelect={() => setDoing('scale')}>
            {t('kube-browse.do-scale')}
          </MenuItem>
        )}
        {isRestartable(kind) && (
          <MenuItem icon={RefreshCw} onSelect={() => setDoing('restart')}>
            {t('kube-browse.do-restart')}
          </MenuItem>
        )}
        {hasShell(kind, object.facts) && (
          <MenuItem icon={Bug} onSelect={() => setDoing('debug')}>
            {t('kube-browse.do-debug')}
          </MenuItem>
        )}
        {ports.length > 0 && (
          <MenuItem icon={ExternalLink} onSelect={() => setDoing('port')}>
            {t('kube-browse.do-port')}
          </MenuItem>
        )}
        <MenuItem icon={Trash2} tone="danger" onSelect={() => setDoing('remove')}>
          {t('kube-browse.do-remove')}
        </MenuItem>
      </Menu>
      {doing === 'debug' && (
        <DebugDialog
          target={target}
          object={object}
          onClose={close}
          onRuns={(container) => used.follow(used.shellPath(at, container))}
        />
      )}
      {doing === 'port' && (
        <OpenPortDialog
          of={{ cluster: used.cluster, kind, namespace: at.namespace, name }}
          clusterId={used.clusterId}
          ports={ports}
          onClose={close}
        />
      )}
      {doing === 'scale' && (
        <ScaleDialog
          name={name}
          replicas={object.facts.spec.replicas ?? 0}
          run={(replicas) => patch({ spec: { replicas } }, 'scale')}
          onClose={close}
          onDone={done}
        />
      )}
      {doing === 'restart' && (
        <DoDialog name={name} doing="restart" run={restart} onClose={close} onDone={done}>
          {t('kube-browse.restart-text', { name })}
        </DoDialog>
      )}
      {doing === 'remove' && (
        <DoDialog name={name} doing="remove" run={remove} onClose={close} onDone={done}>
          {t('kube-browse.remove-text', { name, kind: kind.kind })}
        </DoDialog>
      )}
    </>
  );
}

interface DoDialogProps {
  name: string;
  doing: Change;
  run: () => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
  children: ReactNode;
}

function DoDialog({ name, doing, run, onClose, onDone, children }: DoDialogProps) {
  const t = useTranslate();
  const attempt = useAskAttempt<Change>();
  const { busy, failure } = attempt;
  const go = () =>
    attempt.run(doing, async () => {
      await run();
      onDone();
    });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t(`kube-browse.${doing}-title`, { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('kube-browse.cancel')}</Button>
          <Button
            tone={doing === 'remove' ? 'danger' : 'primary'}
            loading={busy !== undefined}
            onClick={() => void go()}
          >
            {t(`kube-browse.do-${doing}`)}
          </Button>
        </>
      }
    >
      <div className={styles.stack}>
        {children}
        {failure && (
          <Notice tone="bad">
            <FailureWords failure={failure} />
          </Notice>
        )}
      </div>
    </Dialog>
  );
}

interface ScaleDialogProps {
  name: string;
  replicas: number;
  run: (replicas: number) => Promise<unknown>;
  onClose: () => void;
  onDone: () => void;
}

function ScaleDialog({ name, replicas, run, ...rest }: ScaleDialogProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState(String(replicas));
  return (
    <DoDialog name={name} doing="scale" run={() => run(Math.max(0, Math.trunc(Number(typed)) || 0))} {...rest}>
      <TextField type="number" label={t('kube-browse.replicas')} min={0} value={typed} onValueChange={setTyped} />
    </DoDialog>
  );
}
