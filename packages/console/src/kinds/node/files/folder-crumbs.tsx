/** Where one is on the server, each folder on the way a step back. */
import { shownName, stepsTo } from '@gatehouse/contract/kinds/node/files/paths';
import { Icon } from '@gatehouse/design/icon';
import ChevronRight from 'lucide-react/icons/chevron-right';
import HardDrive from 'lucide-react/icons/hard-drive';
import { useEffect, useRef } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './files.module.css';

export function FolderCrumbs({ path, onGo }: { path: string; onGo: (path: string) => void }) {
  const t = useTranslate();
  const list = useRef<HTMLOListElement>(null);
  const steps = stepsTo(path);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end is what one is interested in
  useEffect(() => {
    list.current?.scrollTo({ left: list.current.scrollWidth });
  }, [path]);
  return (
    <nav className={styles.crumbs} aria-label={t('files.crumbs')}>
      <ol ref={list}>
        <li>
          <button type="button" aria-label={t('files.root')} onClick={() => onGo('/')}>
            <Icon of={HardDrive} size={16} />
          </button>
        </li>
        {steps.map(({ name, path: step }) => (
          <li key={step}>
            <Icon of={ChevronRight} size={14} />
            {step === path ? (
              <span aria-current="page">
                <bdi>{shownName(name)}</bdi>
              </span>
            ) : (
              <button type="button" onClick={() => onGo(step)}>
                <bdi>{shownName(name)}</bdi>
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
