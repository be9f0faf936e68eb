/** How to reach a server with one's own ssh, and with what runs it: lines to copy. */
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { CopyField } from '@gatehouse/design/copy-field';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import type { SshDoor } from '../../../shared/ssh-door/ssh-door.ts';
import type { LoginMemory } from '../connect/login-memory.ts';
import { offeredLogins } from '../connect/logins.ts';
import styles from './server-panel.module.css';
import { type SshLines, sshLines } from './ssh-lines.ts';

/** Stands for the login where none is known that could be meant. */
const ANY_LOGIN = 'LOGIN';

/** Undefined: there is no door to it for this user. */
export function useSshLines(node: Node, door: SshDoor | undefined, memory: LoginMemory): SshLines | undefined {
  const { userName } = useUser();
  if (!door || node.sshLogins.length === 0) return undefined;
  return sshLines(node, door, offeredLogins(node, memory, userName)[0]?.login ?? ANY_LOGIN);
}

export function UseSsh({ lines, fingerprint }: { lines: SshLines; fingerprint: string | undefined }) {
  const t = useTranslate();
  const { configured, jump, direct } = lines;
  return (
    <>
      {configured && (
        <section className={styles.lines}>
          <h3 className={shared.heading}>{t('server-panel.ssh-configured')}</h3>
          <CopyField label={t('server-panel.ssh-sign-in')} value={`gatehouse login ${window.location.origin}`} />
          <CopyField label={t('server-panel.ssh-config')} value="gatehouse config ssh --write" />
          <CopyField label={t('server-panel.ssh-then')} value={configured.ssh} />
          <CopyField label={t('server-panel.ssh-code')} value={configured.host} />
        </section>
      )}
      <section className={styles.lines}>
        <h3 className={shared.heading}>{t('server-panel.ssh-plain')}</h3>
        <p className={styles.lead}>{t('server-panel.ssh-plain-lead')}</p>
        <CopyField label={t('server-panel.ssh-direct')} value={direct} />
        <CopyField label={t('server-panel.ssh-jump')} value={jump} />
        {fingerprint && (
          <>
            <CopyField label={t('server-panel.ssh-fingerprint')} value={fingerprint} />
            <p className={shared.faint}>{t('server-panel.ssh-fingerprint-hint')}</p>
          </>
        )}
      </section>
    </>
  );
}
