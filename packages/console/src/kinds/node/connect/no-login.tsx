/** Says that somebody has no login on a server, and leads to the reason. */
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { TextButton } from '@gatehouse/design/text-link';
import { useShellActions } from '../../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../servers.module.css';

export function NoLogin({ node, onAsk }: { node: Node; onAsk: () => void }) {
  const t = useTranslate();
  return (
    <div className={styles.noLogin}>
      <b>{t('servers.no-login-title', { server: node.hostname })}</b>
      <p className={styles.noLoginText}>
        {t('servers.no-login-text')} <WhyLink node={node} onAsk={onAsk} />
      </p>
    </div>
  );
}

interface WhyLinkProps {
  node: Node;
  /** The login in question, if it is about one. */
  login?: string;
  onAsk?: () => void;
}

export function WhyLink({ node, login, onAsk }: WhyLinkProps) {
  const t = useTranslate();
  const { askWhy } = useShellActions();
  const ask = () => {
    onAsk?.();
    askWhy({
      resource: { kind: 'node', id: node.id, name: node.hostname },
      ...(login ? { as: login } : { anyName: true }),
    });
  };
  return <TextButton onClick={ask}>{t('servers.why')}</TextButton>;
}
