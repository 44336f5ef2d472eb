// @ts-nocheck: gjs is not Node, and this project has no package with its types.
// A minimal desktop panel, run by gjs. It accepts one tray icon and answers each line on stdin with one line on stdout.
// `look` returns the icon and its menu. `click LABEL` presses that menu entry if it exists. `activate` is a left click.
import Gio from 'gi://Gio'
import GLib from 'gi://GLib'

const WATCHER = 'org.kde.StatusNotifierWatcher'
const ITEM = 'org.kde.StatusNotifierItem'
const MENU = 'com.canonical.dbusmenu'
const ITEM_PATH = '/StatusNotifierItem'

const INTERFACE = `<node><interface name="${WATCHER}">
  <method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
  <method name="RegisterStatusNotifierHost"><arg type="s" direction="in"/></method>
  <property name="RegisteredStatusNotifierItems" type="as" access="read"/>
  <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
  <property name="ProtocolVersion" type="i" access="read"/>
</interface></node>`

const bus = Gio.bus_get_sync(Gio.BusType.SESSION, null)
let item = null

const watcher = Gio.DBusExportedObject.wrapJSObject(INTERFACE, {
  RegisterStatusNotifierItem(service) {
    item = service
  },
  RegisterStatusNotifierHost() {},
  get RegisteredStatusNotifierItems() {
    return item === null ? [] : [item]
  },
  IsStatusNotifierHostRegistered: true,
  ProtocolVersion: 0,
})
watcher.export(bus, '/StatusNotifierWatcher')
Gio.bus_own_name_on_connection(bus, WATCHER, Gio.BusNameOwnerFlags.NONE, null, null)

// The call must not block this process. Before Electron answers, it calls the watcher, which runs in this process.
const call = (path, interfaceName, method, args) =>
  new Promise((resolve, reject) => {
    bus.call(item, path, interfaceName, method, args, null, Gio.DBusCallFlags.NONE, -1, null, (_, result) => {
      try {
        resolve(bus.call_finish(result).recursiveUnpack())
      } catch (error) {
        reject(error)
      }
    })
  })
const property = async (name) =>
  (await call(ITEM_PATH, 'org.freedesktop.DBus.Properties', 'Get', new GLib.Variant('(ss)', [ITEM, name])))[0]

const toEntry = ([id, facts, children]) => ({ id, ...facts, items: children.map(toEntry) })

const answers = {
  async look() {
    if (item === null) return null
    const wholeMenu = new GLib.Variant('(iias)', [0, -1, []])
    const [, layout] = await call(await property('Menu'), MENU, 'GetLayout', wholeMenu)
    const pictures = await property('IconPixmap')
    return {
      tooltip: (await property('ToolTip'))[2],
      iconWidths: pictures.map(([width]) => width),
      items: toEntry(layout).items,
    }
  },
  async click(label) {
    const menuEntry = (await answers.look())?.items
      .flatMap((entry) => [entry, ...entry.items])
      .find((entry) => entry.label === label)
    if (menuEntry === undefined) return false
    const event = new GLib.Variant('(isvu)', [menuEntry.id, 'clicked', new GLib.Variant('i', 0), 0])
    await call(await property('Menu'), MENU, 'Event', event)
    return true
  },
  async activate() {
    await call(ITEM_PATH, ITEM, 'Activate', new GLib.Variant('(ii)', [0, 0]))
    return true
  },
}

const input = new Gio.DataInputStream({ base_stream: new Gio.UnixInputStream({ fd: 0, close_fd: false }) })
const loop = new GLib.MainLoop(null, false)
const readNext = () =>
  input.read_line_async(GLib.PRIORITY_DEFAULT, null, async (_, result) => {
    const [line] = input.read_line_finish_utf8(result)
    if (line === null) return loop.quit()
    const [question, ...words] = line.split(' ')
    try {
      print(JSON.stringify(await answers[question](words.join(' '))))
    } catch (error) {
      print(JSON.stringify({ error: String(error) }))
    }
    readNext()
  })
readNext()
loop.run()
