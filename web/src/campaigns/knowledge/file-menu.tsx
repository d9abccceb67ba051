import Download from 'lucide-react/icons/download'
import FileUp from 'lucide-react/icons/file-up'
import { buttonClass } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { entryWords as words } from '../words.ts'

/** Import and export of all entries. */
export function FileMenu({ campaignId, onImport }: { campaignId: string; onImport: () => void }) {
  const download = (format: 'csv' | 'json') => {
    const link = document.createElement('a')
    link.href = `/api/campaigns/${encodeURIComponent(campaignId)}/export?format=${format}`
    link.download = ''
    link.click()
  }
  const items = [
    { label: words.exportCsv, icon: Download, run: () => download('csv') },
    { label: words.exportJson, icon: Download, run: () => download('json') },
  ]
  return (
    <>
      <button type="button" aria-haspopup="dialog" className={buttonClass('quiet')} onClick={onImport}>
        <FileUp className="i" />
        {words.import}
      </button>
      <Menu
        label={words.export}
        items={items}
        trigger={(props) => (
          <button type="button" className={buttonClass('quiet')} {...props}>
            <Download className="i" />
            {words.export}
          </button>
        )}
      />
    </>
  )
}
