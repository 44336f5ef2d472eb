/** Whether an id of the service is safe in a URL path: it must not lead out of that path. */
export const isUsableId = (id: string): boolean => /^(?!\.+$)[\w.:~-]{1,200}$/.test(id)
