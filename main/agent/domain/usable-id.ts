/** Of an id that becomes part of a path: nothing that could climb out of it, whoever wrote it. */
export const isUsableId = (id: string): boolean => /^(?!\.+$)[\w.:~-]{1,200}$/.test(id)
