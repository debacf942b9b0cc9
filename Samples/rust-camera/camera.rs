//! A camera in Rust: stripes that drift across the frame.

mod greenroom;

use greenroom::*;
use std::any::Any;
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The state that the control thread and the sending thread share.
struct Shared {
    host: &'static gr_host,
    instance: u64,
    speed: AtomicI64,
    /// The last agreement, and the revision of its offer.
    agreed: Mutex<(gr_capability, u32)>,
}

struct Camera {
    functions: gr_plugin,
    shared: Arc<Shared>,
    sender: u64,
    video: Option<&'static gr_video_functions>,
    thread: Option<JoinHandle<()>>,
}

impl Shared {
    fn agreed(&self) -> (gr_capability, u32) {
        *self.agreed.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Ends the source, and says why. [any]
    fn give_up(&self, text: &str) {
        let text = CString::new(text).unwrap_or_default();
        unsafe { (self.host.give_up)(self.instance, GR_STATUS_FAILED, text.as_ptr()) };
    }

    /// Takes the suggestion, which is what the host's answer says already.
    fn follow(&self, offer: &gr_offer) -> Result<(), String> {
        if offer.row_count == 0 {
            return Err("the session offers no size".into());
        }
        let mut agreed = self.agreed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *agreed = (offer.suggested, offer.revision);
        Ok(())
    }
}

/// The time from the first frame until a frame is due, in nanoseconds: neither rounding nor a late frame adds up.
fn due_after_ns(number: i64, rate: &gr_capability) -> i64 {
    let frames = i64::from(rate.fps_numerator);
    let denominator = i64::from(rate.fps_denominator);
    // In two steps: a second's rest times the denominator times 10^9 needs more than 64 bits.
    let rest = (number % frames) as u64 * denominator as u64;
    let seconds = number / frames * denominator + (rest / frames as u64) as i64;
    seconds * 1_000_000_000 + (rest % frames as u64 * 1_000_000_000 / frames as u64) as i64
}

/// Draws a frame in I420, row by row: rows may be padded.
fn draw(frame: &mut gr_mutable_frame, shift: usize) {
    let (width, height) = (frame.width as usize, frame.height as usize);
    for (index, plane) in frame.planes.iter().enumerate() {
        let (columns, rows) = if index == 0 {
            (width, height)
        } else {
            ((width + 1) / 2, (height + 1) / 2)
        };
        for y in 0..rows {
            // Safe: the host lends rows of this length, stride_bytes apart, until commit.
            let row = unsafe {
                let start = plane.data.add(y * plane.stride_bytes as usize);
                std::slice::from_raw_parts_mut(start, columns)
            };
            match index {
                0 => {
                    for (x, luma) in row.iter_mut().enumerate() {
                        *luma = (16 + (x + y + shift) % 220) as u8;
                    }
                }
                1 => row.fill(160),
                _ => row.fill(110),
            }
        }
    }
}

/// The thread that sends: ends as soon as the host begins to stop.
fn send_frames(shared: &Shared, video: &gr_video_functions, sender: u64) {
    let host = shared.host;
    let start_ns = unsafe { (host.now_ns)(shared.instance) };
    let (mut rate, mut revision) = shared.agreed();
    let (mut first_ns, mut number) = (start_ns, 0);
    loop {
        let (agreed, offered) = shared.agreed();
        if offered != revision {
            // From here on at the rate of the new offer.
            first_ns += due_after_ns(number, &rate);
            number = 0;
            revision = offered;
        }
        rate = agreed;
        // Late by a whole frame: leave that one out.
        let now_ns = unsafe { (host.now_ns)(shared.instance) };
        while first_ns + due_after_ns(number + 1, &rate) <= now_ns {
            number += 1;
        }
        let due_ns = first_ns + due_after_ns(number, &rate);
        number += 1;
        if unsafe { (host.wait_until_ns)(shared.instance, due_ns) } != GR_STATUS_OK {
            return;
        }
        let mut lease: gr_lease = unsafe { std::mem::zeroed() };
        lease.struct_size = size::<gr_lease>();
        let status = unsafe {
            (video.acquire)(sender, GR_FORMAT_I420, rate.width, rate.height, &mut lease)
        };
        if status != GR_STATUS_OK {
            continue; // the host has no room: leave this frame out
        }
        let speed = shared.speed.load(Ordering::Relaxed);
        draw(&mut lease.frame, ((due_ns - start_ns) / 1_000_000 * speed / 1000) as usize);
        let info = gr_frame_info {
            struct_size: size::<gr_frame_info>(),
            rotation: 0,
            range: GR_RANGE_LIMITED,
            matrix: GR_MATRIX_BT601,
            offer_revision: revision,
            reserved: 0,
            pts_ns: due_ns,
        };
        unsafe { (video.commit)(sender, lease.id, &info) };
    }
}

/// The message of a panic.
fn text(panic: &(dyn Any + Send)) -> &str {
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref::<&str>().unwrap_or(&"the camera panicked"),
    }
}

/// Runs a callback; no panic leaves through the C border.
fn answering(
    me: *mut c_void,
    callback: impl FnOnce(&mut Camera) -> Result<(), String>,
) -> gr_status {
    // Safe: the host passes the pointer that create set, one call at a time.
    let me = unsafe { &mut *(me as *mut Camera) };
    let shared = me.shared.clone();
    let result = catch_unwind(AssertUnwindSafe(|| callback(me)))
        .unwrap_or_else(|panic| Err(text(&*panic).into()));
    match result {
        Ok(()) => GR_STATUS_OK,
        Err(text) => {
            let text = CString::new(text).unwrap_or_default();
            unsafe { (shared.host.set_error)(shared.instance, text.as_ptr()) };
            GR_STATUS_FAILED
        }
    }
}

unsafe extern "C" fn initialize(me: *mut c_void, input: *const gr_initialize) -> gr_status {
    let input = &*input;
    answering(me, |me| {
        me.sender = input.sender;
        me.video = input.video.as_ref();
        me.shared.follow(&*input.offer)
    })
}

unsafe extern "C" fn property_change(
    me: *mut c_void,
    offer: *const gr_offer,
    _answer: *mut gr_answer,
) -> gr_status {
    answering(me, |me| me.shared.follow(&*offer))
}

unsafe extern "C" fn start_send(me: *mut c_void) -> gr_status {
    answering(me, |me| {
        let (shared, sender) = (me.shared.clone(), me.sender);
        let video = me.video.ok_or("there is no sender")?;
        let body = move || {
            let sending = AssertUnwindSafe(|| send_frames(&shared, video, sender));
            // Without this the thread would be gone, and the session would only see that no frame
            // comes.
            if let Err(panic) = catch_unwind(sending) {
                shared.give_up(text(&*panic));
            }
        };
        let thread = std::thread::Builder::new().name("rust camera".into()).spawn(body);
        me.thread = Some(thread.map_err(|error| error.to_string())?);
        Ok(())
    })
}

unsafe extern "C" fn stop_send(me: *mut c_void) {
    answering(me, |me| {
        // The thread has logged its panic itself.
        let _ = me.thread.take().map(JoinHandle::join);
        Ok(())
    });
}

unsafe extern "C" fn uninitialize(me: *mut c_void) {
    answering(me, |me| {
        me.sender = 0;
        me.video = None;
        Ok(())
    });
}

unsafe extern "C" fn destroy(me: *mut c_void) {
    drop(Box::from_raw(me as *mut Camera));
}

/// The host has checked the value.
unsafe extern "C" fn set(me: *mut c_void, setting: *const gr_setting) -> gr_status {
    let (me, setting) = (&*(me as *const Camera), &*setting);
    if CStr::from_ptr(setting.name).to_bytes() != b"speed" {
        return GR_STATUS_BAD_SETTING;
    }
    me.shared.speed.store(setting.value.integer, Ordering::Relaxed);
    GR_STATUS_OK
}

unsafe extern "C" fn get_extension(_me: *mut c_void, id: *const c_char) -> *const c_void {
    static LIVE: gr_live_parameters =
        gr_live_parameters { struct_size: size::<gr_live_parameters>(), reserved: 0, set };
    if CStr::from_ptr(id).to_bytes_with_nul() == GR_EXT_LIVE_PARAMETERS {
        &LIVE as *const _ as *const c_void
    } else {
        null()
    }
}

unsafe extern "C" fn create(
    _index: u32,
    input: *const gr_create,
    plugin: *mut *const gr_plugin,
) -> gr_status {
    let input = &*input;
    let nothing = gr_capability { width: 0, height: 0, fps_numerator: 1, fps_denominator: 1 };
    let me = Box::into_raw(Box::new(Camera {
        functions: gr_plugin {
            struct_size: size::<gr_plugin>(),
            reserved: 0,
            self_: std::ptr::null_mut(),
            destroy,
            initialize,
            property_change: Some(property_change),
            start_send,
            stop_send,
            uninitialize,
            get_extension: Some(get_extension),
        },
        shared: Arc::new(Shared {
            host: &*input.host,
            instance: input.instance,
            speed: AtomicI64::new(0),
            agreed: Mutex::new((nothing, 0)),
        }),
        sender: 0,
        video: None,
        thread: None,
    }));
    (*me).functions.self_ = me as *mut c_void;
    for index in 0..input.setting_count as usize {
        set(me as *mut c_void, input.settings.add(index));
    }
    *plugin = &(*me).functions;
    GR_STATUS_OK
}

unsafe extern "C" fn descriptor(index: u32) -> *const gr_descriptor {
    static SPEED: gr_parameter = gr_parameter {
        struct_size: size::<gr_parameter>(),
        type_: GR_TYPE_INTEGER,
        flags: GR_PARAMETER_LIVE | GR_PARAMETER_BOUNDED,
        choice_count: 0,
        name: b"speed\0".as_ptr() as *const c_char,
        title: b"Speed\0".as_ptr() as *const c_char,
        unit: b"px/s\0".as_ptr() as *const c_char,
        choices: null(),
        default_value: gr_value {
            type_: GR_TYPE_INTEGER,
            reserved: 0,
            integer: 60,
            number: 0.0,
            string: null(),
        },
        minimum: 0.0,
        maximum: 1000.0,
    };
    static ONLY: gr_descriptor = gr_descriptor {
        struct_size: size::<gr_descriptor>(),
        kind: GR_KIND_VIDEO_SOURCE,
        id: b"org.example.rust-camera\0".as_ptr() as *const c_char,
        name: b"RustCamera\0".as_ptr() as *const c_char,
        version: b"1.0.0\0".as_ptr() as *const c_char,
        summary: b"Stripes that drift across the frame\0".as_ptr() as *const c_char,
        vendor: null(),
        url: null(),
        parameters: &SPEED,
        parameter_count: 1,
        reserved: 0,
    };
    if index == 0 {
        &ONLY
    } else {
        null()
    }
}

/// The host calls this function of the library.
#[no_mangle]
pub extern "C" fn greenroom_plugin_entry() -> *const gr_entry {
    static ENTRY: gr_entry = gr_entry {
        struct_size: size::<gr_entry>(),
        abi_major: GR_ABI_MAJOR,
        abi_minor: GR_ABI_MINOR,
        plugin_count: 1,
        reserved: 0,
        descriptor,
        create,
    };
    &ENTRY
}
