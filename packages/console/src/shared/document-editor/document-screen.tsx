/** The frame of a screen that edits one document: its name, what is unsaved, and that somebody else saved it meanwhile. */
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import type { ReactNode } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './document-screen.module.css';

interface DocumentScreenProps {
  /** The list it is one of. */
  back: { label: string; onBack: () => void };
  icon?: IconComponent;
  title: string;
  /** How many changes the saved document does not have; a new one has none. */
  unsaved: number;
  isReadOnly: boolean;
  /** Behind the name: what there is to know, and to do. */
  tools: ReactNode;
  /** Somebody saved another version while this one was changed. */
  overtaken: { title: string; onSeeBoth: () => void } | undefined;
  children: ReactNode;
}

export function DocumentScreen({
  back,
  icon,
  title,
  unsaved,
  isReadOnly,
  tools,
  overtaken,
  children,
}: DocumentScreenProps) {
  const t = useTranslate();
  return (
    <div className={styles.screen}>
      <header className={styles.header}>
        <IconButton icon={ChevronLeft} label={back.label} onClick={back.onBack} />
        {icon && <Icon of={icon} size={20} />}
        <h1 className={styles.name}>{title}</h1>
        {unsaved > 0 && <Badge tone="warn">{t('document.unsaved', { count: unsaved })}</Badge>}
        {isReadOnly && <Badge>{t('document.read-only')}</Badge>}
        {tools}
      </header>
      {overtaken && (
        <Notice
          tone="warn"
          className={styles.notice}
          title={overtaken.title}
          actions={
            <Button size="small" onClick={overtaken.onSeeBoth}>
              {t('document.see-both')}
            </Button>
          }
        >
          {t('document.overtaken-text')}
        </Notice>
      )}
      {children}
    </div>
  );
}
