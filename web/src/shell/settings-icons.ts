import Bell from 'lucide-react/icons/bell'
import Cpu from 'lucide-react/icons/cpu'
import KeyRound from 'lucide-react/icons/key-round'
import MessageCircle from 'lucide-react/icons/message-circle'
import ScrollText from 'lucide-react/icons/scroll-text'
import SunMoon from 'lucide-react/icons/sun-moon'
import Webhook from 'lucide-react/icons/webhook'

/** Icons of screens of the settings, which no other screen shows at once. */
export const settingsIcons = { Bell, Cpu, KeyRound, MessageCircle, ScrollText, SunMoon, Webhook }
