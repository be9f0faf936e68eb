/** The icon families the product needs, and the mark. */

import AppWindow from 'lucide-react/icons/app-window';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import ArrowRight from 'lucide-react/icons/arrow-right';
import ArrowUp from 'lucide-react/icons/arrow-up';
import AtSign from 'lucide-react/icons/at-sign';
import Boxes from 'lucide-react/icons/boxes';
import Cable from 'lucide-react/icons/cable';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronRight from 'lucide-react/icons/chevron-right';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import Cloud from 'lucide-react/icons/cloud';
import CloudDownload from 'lucide-react/icons/cloud-download';
import CloudOff from 'lucide-react/icons/cloud-off';
import CloudUpload from 'lucide-react/icons/cloud-upload';
import CornerDownLeft from 'lucide-react/icons/corner-down-left';
import CreditCard from 'lucide-react/icons/credit-card';
import Database from 'lucide-react/icons/database';
import ExternalLink from 'lucide-react/icons/external-link';
import FingerprintPattern from 'lucide-react/icons/fingerprint-pattern';
import Globe from 'lucide-react/icons/globe';
import KeyRound from 'lucide-react/icons/key-round';
import Lock from 'lucide-react/icons/lock';
import Mail from 'lucide-react/icons/mail';
import MessageSquare from 'lucide-react/icons/message-square';
import Monitor from 'lucide-react/icons/monitor';
import Network from 'lucide-react/icons/network';
import Receipt from 'lucide-react/icons/receipt';
import Rss from 'lucide-react/icons/rss';
import Server from 'lucide-react/icons/server';
import Share2 from 'lucide-react/icons/share-2';
import ShieldCheck from 'lucide-react/icons/shield-check';
import ShipWheel from 'lucide-react/icons/ship-wheel';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import User from 'lucide-react/icons/user';
import UserPlus from 'lucide-react/icons/user-plus';
import Users from 'lucide-react/icons/users';
import Wallet from 'lucide-react/icons/wallet';
import { Icon } from '../icon.tsx';
import { Mark } from '../mark.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const FAMILIES = {
  Infrastructure: { Server, AppWindow, ShipWheel, Database, Monitor, SquareTerminal, Network, Cable },
  Cloud: { Cloud, CloudUpload, CloudDownload, CloudOff, Boxes },
  People: { User, Users, UserPlus, ShieldCheck, FingerprintPattern, KeyRound, Lock },
  Payment: { CreditCard, Receipt, Wallet },
  Social: { Mail, MessageSquare, Share2, Globe, AtSign, Rss },
  Arrows: {
    ArrowUp,
    ArrowDown,
    ArrowLeft,
    ArrowRight,
    ChevronDown,
    ChevronRight,
    ChevronsUpDown,
    ExternalLink,
    CornerDownLeft,
  },
};

export function IconsSection() {
  return (
    <Section
      id="icons"
      title="Icons"
      rule="One line weight, 16 px in text, 20 px in headings. Always beside a word, or with a label."
    >
      <div className={styles.icons}>
        {Object.entries(FAMILIES).map(([family, icons]) => (
          <div key={family}>
            <h3>{family}</h3>
            <ul>
              {Object.entries(icons).map(([name, icon]) => (
                <li key={name} title={name}>
                  <Icon of={icon} size={20} label={name} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div className={styles.row}>
        <Mark size={16} />
        <Mark size={20} />
        <Mark size={28} />
        <Mark size={44} label="Gatehouse" />
        <span className={styles.faint}>the mark at 16, 20, 28 and 44 px</span>
      </div>
    </Section>
  );
}
